import type { HostFiles, HostUnits, UnitEnablement } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import type { RecordAction, CountRestarts } from './machine-action.ts'
import { saveTextFile, simulationState, loadTextFile } from './state-file.ts'
import type { UnitLinks } from './unit-links.ts'
import { findUnit } from './unit-search.ts'

/** Set by tests and users: unhealthy units, one name per line. */
const failingUnitsFile = `${simulationState}/failing-units`

/** Units of a simulated machine: links are real, actions on services are only recorded. */
export class SimulatedUnits implements HostUnits {
  readonly #files: HostFiles
  readonly #links: UnitLinks
  readonly #record: RecordAction
  readonly #restarts: CountRestarts

  constructor(files: HostFiles, links: UnitLinks, record: RecordAction, restarts: CountRestarts) {
    this.#files = files
    this.#links = links
    this.#record = record
    this.#restarts = restarts
  }

  async enable(units: readonly string[]): Promise<void> {
    if (units.length > 0) await this.#links.enable(units)
  }

  async disable(units: readonly string[]): Promise<void> {
    if (units.length > 0) await this.#links.disable(units)
  }

  async preset(units: readonly string[]): Promise<void> {
    if (units.length > 0) await this.#links.preset(units)
  }

  enablement(unit: string): Promise<UnitEnablement> {
    return this.#links.enablement(unit)
  }

  daemonReload(): Promise<void> {
    return this.#record({ type: 'daemon-reload' })
  }

  reload(unit: string): Promise<void> {
    return this.#recordAction('reload', unit)
  }

  restart(unit: string): Promise<void> {
    return this.#recordAction('restart', unit)
  }

  async isHealthy(unit: string): Promise<boolean> {
    const found = await findUnit(this.#files, unit)
    if (!found || found.type === 'masked') return false
    return !(await this.#failing()).includes(unit)
  }

  /** Units run since boot. */
  async lastStart(unit: string): Promise<string | undefined> {
    const found = await findUnit(this.#files, unit)
    if (!found || found.type === 'masked') return undefined
    return String(await this.#restarts(unit))
  }

  /** Sets whether this unit is healthy. */
  async setHealth(unit: string, healthy: boolean): Promise<void> {
    const others = (await this.#failing()).filter((each) => each !== unit)
    const failing = healthy ? others : [...others, unit]
    await saveTextFile(this.#files, failingUnitsFile, failing.map((each) => `${each}\n`).join(''))
  }

  async #recordAction(type: 'reload' | 'restart', unit: string): Promise<void> {
    const found = await findUnit(this.#files, unit)
    if (!found) throw new HostFailure(`${type} ${unit}: the unit does not exist`, 'exit 5')
    if (found.type === 'masked')
      throw new HostFailure(`${type} ${unit}: the unit is masked`, 'exit 1')
    await this.#record({ type, unit })
  }

  async #failing(): Promise<string[]> {
    const text = await loadTextFile(this.#files, failingUnitsFile)
    return (text ?? '').split('\n').filter((line) => line !== '')
  }
}
