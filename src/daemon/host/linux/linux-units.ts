import { trustStore } from '../../../api/disruption-policy/defaults.ts'
import { withoutTrailing } from '@machinist/core/trimmed'
import { HostFailure } from '../host-failure.ts'
import type { HostUnits, UnitEnablement } from '../host.ts'
import type { Command, Runner } from './runner.ts'
import { exitFailure, succeed } from './runner.ts'
import { isWell, shownProperties } from './unit-health.ts'

/** A service may take its time to stop: 90 s until systemd kills it, and as long again to start. */
const jobLimitMs = 240_000

/** The units of a machine that runs systemd. */
export class LinuxUnits implements HostUnits {
  readonly #runner: Runner
  readonly #root: string
  #trustStoreIsMade = false

  /** `root` is where the links are, as the programs that run see it. */
  constructor(runner: Runner, root = '/') {
    this.#runner = runner
    this.#root = root
  }

  async enable(units: readonly string[]): Promise<void> {
    if (units.length === 0) return
    await succeed(this.#runner, this.#onDisk('enable', units))
    await this.#flush()
  }

  disable(units: readonly string[]): Promise<void> {
    return this.#eachThatIsThere('disable', units)
  }

  preset(units: readonly string[]): Promise<void> {
    return this.#eachThatIsThere('preset', units)
  }

  async enablement(unit: string): Promise<UnitEnablement> {
    const command = this.#onDisk('is-enabled', [unit])
    const ended = await this.#runner.run(command)
    const word = ended.output.trim()
    const known = enablements[word]
    if (known) return known
    // Newer ones say it in a word; older ones complain.
    if (word === '' && missing.test(ended.complaint)) return 'not-found'
    throw exitFailure(command, ended)
  }

  async daemonReload(): Promise<void> {
    await succeed(this.#runner, systemctl(['daemon-reload'], jobLimitMs))
  }

  async reload(unit: string): Promise<void> {
    await succeed(this.#runner, systemctl(['reload', '--', named(unit)], jobLimitMs))
  }

  async restart(unit: string): Promise<void> {
    const command = systemctl(['restart', '--', named(unit)], jobLimitMs)
    const ended = await this.#runner.run(command)
    this.#trustStoreIsMade = false
    if (ended.code === 0) return
    if (unit !== trustStore) throw exitFailure(command, ended)
    await this.#makeTrustStore(exitFailure(command, ended))
  }

  async healthy(unit: string): Promise<boolean> {
    if (unit === trustStore && this.#trustStoreIsMade) return true
    const args = ['show', `--property=${shownProperties.join(',')}`, '--', named(unit)]
    return isWell(await succeed(this.#runner, systemctl(args)))
  }

  async started(unit: string): Promise<string | undefined> {
    const args = ['show', '--property=ExecMainStartTimestampMonotonic', '--', named(unit)]
    const shown = await succeed(this.#runner, systemctl(args))
    const microseconds = /^ExecMainStartTimestampMonotonic=(\d+)$/m.exec(shown)?.[1]
    return microseconds === '0' ? undefined : microseconds
  }

  /** What the unit would do: not every OS has it. */
  async #makeTrustStore(unitFailure: HostFailure): Promise<void> {
    try {
      await succeed(this.#runner, { program: 'update-ca-trust', args: [], limitMs: jobLimitMs })
      this.#trustStoreIsMade = true
    } catch (error) {
      const isMissing = error instanceof HostFailure && error.code === 'ENOENT'
      throw isMissing ? unitFailure : error
    }
  }

  /** All at once; where that fails, one by one, so that one that is not there does not stop the others. */
  async #eachThatIsThere(verb: 'disable' | 'preset', units: readonly string[]): Promise<void> {
    if (units.length === 0) return
    const ended = await this.#runner.run(this.#onDisk(verb, units))
    if (ended.code !== 0) await this.#oneByOne(verb, units)
    await this.#flush()
  }

  async #oneByOne(verb: 'disable' | 'preset', units: readonly string[]): Promise<void> {
    for (const unit of units) {
      const command = this.#onDisk(verb, [unit])
      const alone = await this.#runner.run(command)
      if (alone.code !== 0 && !passedOver.has(await this.enablement(unit))) {
        throw exitFailure(command, alone)
      }
    }
  }

  /** systemctl leaves it to the system when links reach the disk; a step that is struck off must not come undone. */
  async #flush(): Promise<void> {
    const directory = `${withoutTrailing(this.#root, '/')}/etc/systemd/system`
    const args = [directory, '-maxdepth', '1', '-type', 'd', '-exec', 'sync', '--', '{}', '+']
    await succeed(this.#runner, { program: 'find', args })
  }

  /**
   * With a root named, even if it is this one, systemctl changes links itself: it neither needs a running systemd nor makes
   * it read everything anew.
   */
  #onDisk(verb: string, units: readonly string[]): Command {
    return systemctl([`--root=${this.#root}`, verb, '--', ...units.map(named)])
  }
}

/** Nothing starts these by a link of their own. */
const passedOver = new Set<UnitEnablement>(['not-found', 'masked'])

const systemctl = (args: readonly string[], limitMs?: number): Command => ({
  program: 'systemctl',
  args,
  ...(limitMs !== undefined && { limitMs }),
})

function named(unit: string): string {
  if (unitName.test(unit)) return unit
  throw new HostFailure(`${JSON.stringify(unit)} is not the name of a unit`, 'EINVAL')
}

/** Patterns such as `*.service` are not: they would be about units that nobody meant. */
const unitName =
  /^[\w:.\\@-]{1,240}\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/

const missing = /no such file|not.found|does not exist/i

const enablements: Readonly<Record<string, UnitEnablement>> = {
  enabled: 'enabled',
  'enabled-runtime': 'enabled',
  disabled: 'disabled',
  masked: 'masked',
  'masked-runtime': 'masked',
  static: 'static',
  // Has only units that come along with it: nothing of its own that could be on or off.
  indirect: 'static',
  linked: 'linked',
  'linked-runtime': 'linked',
  alias: 'alias',
  generated: 'generated',
  transient: 'generated',
  'not-found': 'not-found',
}
