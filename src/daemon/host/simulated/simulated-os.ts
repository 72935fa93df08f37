import { sameJson } from '../../../base/json.ts'
import type { HostFiles, HostOs, OsDeployment, OsFacts, OsState } from '../host.ts'
import type { NoteAction } from './machine-action.ts'
import { osRelease } from '../os-release.ts'
import { putText, simulationState, textAt } from './state-file.ts'

const deployments = `${simulationState}/deployments.json`

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
      changes: true,
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

  /** What was staged runs now. */
  async boot(): Promise<void> {
    const { booted, staged } = await this.state()
    const { kernelArguments } = staged ?? booted
    await putText(this.#files, '/proc/cmdline', `${kernelArguments.join(' ')}\n`)
    await this.#put({ booted: staged ?? booted })
  }

  async #put(state: OsState): Promise<void> {
    await putText(this.#files, deployments, osStateText(state))
  }
}

export const osStateText = (state: OsState): string => `${JSON.stringify(state, undefined, 2)}\n`

export const osStatePath = deployments
