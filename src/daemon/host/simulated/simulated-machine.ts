import type { Host, HostFiles } from '../host.ts'
import { AccountFiles } from './account-files.ts'
import type { NoteAction, Restarts } from './machine-action.ts'
import { SimulatedImages } from './simulated-images.ts'
import { SimulatedOs } from './simulated-os.ts'
import { SimulatedPower } from './simulated-power.ts'
import { SimulatedUnits } from './simulated-units.ts'
import type { UnitLinks } from './unit-links.ts'

export interface SimulatedMachineOptions<F extends HostFiles> {
  readonly files: F
  readonly links: UnitLinks
  readonly note: NoteAction
  readonly restarts: Restarts
  readonly salt: () => string
  readonly architecture: string
}

/**
 * A machine that exists only as files: services, reboots and the operating system are written down instead of done. Who
 * runs a daemon on it waits for `power.down`, ends that daemon, boots the machine and starts another one.
 */
export class SimulatedMachine<F extends HostFiles = HostFiles> implements Host {
  readonly files: F
  readonly units: SimulatedUnits
  readonly accounts: AccountFiles
  readonly os: SimulatedOs
  readonly power: SimulatedPower
  readonly images: SimulatedImages

  constructor(options: SimulatedMachineOptions<F>) {
    const { files, links, note, restarts, salt, architecture } = options
    this.files = files
    this.units = new SimulatedUnits(files, links, note, restarts)
    this.accounts = new AccountFiles(files)
    this.os = new SimulatedOs(files, architecture, note)
    this.power = new SimulatedPower(files, note, salt)
    this.images = new SimulatedImages(files, this.units, note)
  }

  /** May be cut off at any point and called again. */
  async boot(): Promise<void> {
    await this.os.boot()
    await this.power.boot()
  }
}
