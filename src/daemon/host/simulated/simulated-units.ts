import type { HostFiles, HostUnits, UnitEnablement } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import type { NoteAction, Restarts } from './machine-action.ts'
import { putText, simulationState, textAt } from './state-file.ts'
import type { UnitLinks } from './unit-links.ts'
import { findUnit } from './unit-search.ts'

/** Units that shall not be well, one name per line: for tests and for people who want to see what happens. */
const failingUnits = `${simulationState}/failing-units`

/** Units of a machine that does not run: links are real, services are only told about. */
export class SimulatedUnits implements HostUnits {
  readonly #files: HostFiles
  readonly #links: UnitLinks
  readonly #note: NoteAction
  readonly #restarts: Restarts

  constructor(files: HostFiles, links: UnitLinks, note: NoteAction, restarts: Restarts) {
    this.#files = files
    this.#links = links
    this.#note = note
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
    return this.#note({ do: 'daemon-reload' })
  }

  reload(unit: string): Promise<void> {
    return this.#tell('reload', unit)
  }

  restart(unit: string): Promise<void> {
    return this.#tell('restart', unit)
  }

  async healthy(unit: string): Promise<boolean> {
    const found = await findUnit(this.#files, unit)
    if (!found || found.is === 'masked') return false
    return !(await this.#failing()).includes(unit)
  }

  /** Units run from the boot on. */
  async started(unit: string): Promise<string | undefined> {
    const found = await findUnit(this.#files, unit)
    if (!found || found.is === 'masked') return undefined
    return String(await this.#restarts(unit))
  }

  /** From now on this unit is not well, or is again. */
  async setHealth(unit: string, healthy: boolean): Promise<void> {
    const others = (await this.#failing()).filter((each) => each !== unit)
    const failing = healthy ? others : [...others, unit]
    await putText(this.#files, failingUnits, failing.map((each) => `${each}\n`).join(''))
  }

  async #tell(what: 'reload' | 'restart', unit: string): Promise<void> {
    const found = await findUnit(this.#files, unit)
    if (!found) throw new HostFailure(`${what} ${unit}: there is no such unit`, 'exit 5')
    if (found.is === 'masked') throw new HostFailure(`${what} ${unit}: it is masked`, 'exit 1')
    await this.#note({ do: what, unit })
  }

  async #failing(): Promise<string[]> {
    const text = await textAt(this.#files, failingUnits)
    return (text ?? '').split('\n').filter((line) => line !== '')
  }
}
