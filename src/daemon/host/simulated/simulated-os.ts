import { sameJson } from '@machinist/core/json'
import { osCapabilities } from '../../../planner/os-capabilities.ts'
import type { BootReport, HostFiles, HostOs, OsDeployment, OsFacts, OsState } from '../host.ts'
import type { NoteAction } from './machine-action.ts'
import { osRelease } from '../os-release.ts'
import { putText, simulationState, textAt } from './state-file.ts'

const deployments = `${simulationState}/deployments.json`
/** Somebody wants the next boot to bring what runs now again; holds why. */
const breaksNext = `${simulationState}/next-finalization-fails`
/** Why this boot did not bring what was staged. */
const failedLast = `${simulationState}/finalization-failure`

/** An operating system that is only written down: what was asked for is booted by the next reboot. */
export class SimulatedOs implements HostOs {
  readonly #files: HostFiles
  readonly #architecture: string
  readonly #note: NoteAction

  constructor(files: HostFiles, architecture: string, note: NoteAction) {
    this.#files = files
    this.#architecture = architecture
    this.#note = note
  }

  async facts(): Promise<OsFacts> {
    const release = osRelease((await textAt(this.#files, '/etc/os-release')) ?? '')
    const fips = await textAt(this.#files, '/proc/sys/crypto/fips_enabled')
    return {
      id: release.get('ID') ?? '',
      versionId: release.get('VERSION_ID') ?? '',
      variantId: release.get('VARIANT_ID') ?? '',
      architecture: this.#architecture,
      changes: osCapabilities['rpm-ostree'],
      ...(fips !== undefined && { fips: fips.trim() === '1' }),
    }
  }

  async state(): Promise<OsState> {
    return JSON.parse((await textAt(this.#files, deployments)) ?? '') as OsState
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted, staged } = await this.state()
    if (sameJson(staged ?? booted, deployment)) return
    await this.#note({ do: 'stage', deployment: JSON.stringify(deployment) })
    await this.#put(sameJson(deployment, booted) ? { booted } : { booted, staged: deployment })
  }

  async bootReport(): Promise<BootReport> {
    const finalizationFailure = await textAt(this.#files, failedLast)
    return { ...(finalizationFailure && { finalizationFailure }), foreignPackages: [] }
  }

  /** Nothing is kept of what ran before. */
  async dropRollback(): Promise<void> {}

  /** What is staged by then will not become the next boot's, and this is why. */
  async breakFinalization(why: string): Promise<void> {
    await putText(this.#files, breaksNext, why)
  }

  /** What was staged runs now, unless somebody broke it. */
  async boot(): Promise<void> {
    const { booted, staged } = await this.state()
    const failure = await textAt(this.#files, breaksNext)
    const next = failure === undefined ? (staged ?? booted) : booted
    if (failure === undefined) await this.#files.remove(failedLast)
    else await putText(this.#files, failedLast, failure)
    await putText(this.#files, '/proc/cmdline', `${next.kernelArguments.join(' ')}\n`)
    await this.#put({ booted: next })
    await this.#files.remove(breaksNext)
  }

  async #put(state: OsState): Promise<void> {
    await putText(this.#files, deployments, osStateText(state))
  }
}

export const osStateText = (state: OsState): string => `${JSON.stringify(state, undefined, 2)}\n`

export const osStatePath = deployments
