import { sameJson } from '@machinist/core/encoding/json'
import { osCapabilities } from '../../../planner/model/os-capabilities.ts'
import type { BootReport, HostFiles, HostOs, OsDeployment, OsFacts, OsState } from '../host.ts'
import { parseOsRelease } from '../os-release.ts'
import type { RecordAction } from './machine-action.ts'
import { saveTextFile, simulationState, loadTextFile } from './state-file.ts'

const deploymentsFile = `${simulationState}/deployments.json`
/** If it exists, the next boot ignores the staged deployment; holds the error message. */
const failNextFile = `${simulationState}/next-finalization-fails`
/** The error message, if this boot ignored the staged deployment. */
const failureFile = `${simulationState}/finalization-failure`

/** An operating system that is only recorded: the next reboot boots the staged deployment. */
export class SimulatedOs implements HostOs {
  readonly #files: HostFiles
  readonly #architecture: string
  readonly #record: RecordAction

  constructor(files: HostFiles, architecture: string, record: RecordAction) {
    this.#files = files
    this.#architecture = architecture
    this.#record = record
  }

  async facts(): Promise<OsFacts> {
    const release = parseOsRelease((await loadTextFile(this.#files, '/etc/os-release')) ?? '')
    const fips = await loadTextFile(this.#files, '/proc/sys/crypto/fips_enabled')
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
    return JSON.parse((await loadTextFile(this.#files, deploymentsFile)) ?? '') as OsState
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted, staged } = await this.state()
    if (sameJson(staged ?? booted, deployment)) return
    await this.#record({ type: 'stage', deployment: JSON.stringify(deployment) })
    await this.#put(sameJson(deployment, booted) ? { booted } : { booted, staged: deployment })
  }

  async bootReport(): Promise<BootReport> {
    const finalizationFailure = await loadTextFile(this.#files, failureFile)
    return { ...(finalizationFailure && { finalizationFailure }), foreignPackages: [] }
  }

  /** The simulated OS keeps no previous deployment. */
  async dropRollback(): Promise<void> {}

  /** Makes the next boot ignore the staged deployment, with this error message. */
  async breakFinalization(message: string): Promise<void> {
    await saveTextFile(this.#files, failNextFile, message)
  }

  /** Boots the staged deployment, unless `breakFinalization` was called. */
  async boot(): Promise<void> {
    const { booted, staged } = await this.state()
    const failure = await loadTextFile(this.#files, failNextFile)
    const next = failure === undefined ? (staged ?? booted) : booted
    if (failure === undefined) await this.#files.remove(failureFile)
    else await saveTextFile(this.#files, failureFile, failure)
    await saveTextFile(this.#files, '/proc/cmdline', `${next.kernelArguments.join(' ')}\n`)
    await this.#put({ booted: next })
    await this.#files.remove(failNextFile)
  }

  async #put(state: OsState): Promise<void> {
    await saveTextFile(this.#files, deploymentsFile, osStateText(state))
  }
}

export const osStateText = (state: OsState): string => `${JSON.stringify(state, undefined, 2)}\n`

export const osStatePath = deploymentsFile
