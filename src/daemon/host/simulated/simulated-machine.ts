import type { Host, HostFiles } from '../host.ts'
import { AccountFiles } from './account-files.ts'
import type { RecordAction, CountRestarts } from './machine-action.ts'
import { SimulatedImages } from './simulated-images.ts'
import { SimulatedOs } from './simulated-os.ts'
import { SimulatedPower } from './simulated-power.ts'
import { SimulatedUnits } from './simulated-units.ts'
import type { UnitLinks } from './unit-links.ts'

export interface SimulatedMachineOptions<F extends HostFiles> {
  readonly files: F
  readonly links: UnitLinks
  readonly record: RecordAction
  readonly restarts: CountRestarts
  readonly salt: () => string
  readonly architecture: string
}

/**
 * A machine that exists only as files: actions on services, reboots and the operating system are only recorded. To run a
 * daemon on it, wait for `power.down`, stop the daemon, boot the machine, and start another daemon.
 */
export class SimulatedMachine<F extends HostFiles = HostFiles> implements Host {
  readonly files: F
  readonly units: SimulatedUnits
  readonly accounts: AccountFiles
  readonly os: SimulatedOs
  readonly power: SimulatedPower
  readonly images: SimulatedImages

  constructor(options: SimulatedMachineOptions<F>) {
    const { files, links, record, restarts, salt, architecture } = options
    this.files = files
    this.units = new SimulatedUnits(files, links, record, restarts)
    this.accounts = new AccountFiles(files)
    this.os = new SimulatedOs(files, architecture, record)
    this.power = new SimulatedPower(files, record, salt)
    this.images = new SimulatedImages(files, this.units, record)
  }

  /** Idempotent: may be interrupted at any point and called again. */
  async boot(): Promise<void> {
    await this.os.boot()
    await this.power.boot()
  }
}
