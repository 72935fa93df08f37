import { withoutTrailing } from '@machinist/core/trimmed'
import { trustStore } from '../../../api/disruption-policy/defaults.ts'
import { HostFailure } from '../host-failure.ts'
import type { HostUnits, UnitEnablement } from '../host.ts'
import type { Command, CommandRunner } from './commands/runner.ts'
import { exitFailure, runOrThrow } from './commands/runner.ts'
import { isUnitHealthy, healthProperties } from './unit-health.ts'

/** systemd kills a service that does not stop within 90 s; the start may take as long. */
const jobLimitMs = 240_000

/** The units of a machine that runs systemd. */
export class LinuxUnits implements HostUnits {
  readonly #runner: CommandRunner
  readonly #root: string
  #isTrustStoreUpdated = false

  /** `root` is the root directory of the links, as the programs see it. */
  constructor(runner: CommandRunner, root = '/') {
    this.#runner = runner
    this.#root = root
  }

  async enable(units: readonly string[]): Promise<void> {
    if (units.length === 0) return
    await runOrThrow(this.#runner, this.#onDisk('enable', units))
    await this.#flush()
  }

  disable(units: readonly string[]): Promise<void> {
    return this.#eachExisting('disable', units)
  }

  preset(units: readonly string[]): Promise<void> {
    return this.#eachExisting('preset', units)
  }

  async enablement(unit: string): Promise<UnitEnablement> {
    const command = this.#onDisk('is-enabled', [unit])
    const result = await this.#runner.run(command)
    const word = result.output.trim()
    const known = enablements[word]
    if (known) return known
    // Newer versions print `not-found`; older versions print an error.
    if (word === '' && missingUnit.test(result.errorLine)) return 'not-found'
    throw exitFailure(command, result)
  }

  async daemonReload(): Promise<void> {
    await runOrThrow(this.#runner, systemctl(['daemon-reload'], jobLimitMs))
  }

  async reload(unit: string): Promise<void> {
    await runOrThrow(this.#runner, systemctl(['reload', '--', requireUnitName(unit)], jobLimitMs))
  }

  async restart(unit: string): Promise<void> {
    const command = systemctl(['restart', '--', requireUnitName(unit)], jobLimitMs)
    const result = await this.#runner.run(command)
    this.#isTrustStoreUpdated = false
    if (result.code === 0) return
    if (unit !== trustStore) throw exitFailure(command, result)
    await this.#updateTrustStore(exitFailure(command, result))
  }

  async isHealthy(unit: string): Promise<boolean> {
    if (unit === trustStore && this.#isTrustStoreUpdated) return true
    const args = ['show', `--property=${healthProperties.join(',')}`, '--', requireUnitName(unit)]
    return isUnitHealthy(await runOrThrow(this.#runner, systemctl(args)))
  }

  async lastStart(unit: string): Promise<string | undefined> {
    const args = ['show', '--property=ExecMainStartTimestampMonotonic', '--', requireUnitName(unit)]
    const shown = await runOrThrow(this.#runner, systemctl(args))
    const microseconds = /^ExecMainStartTimestampMonotonic=(\d+)$/m.exec(shown)?.[1]
    return microseconds === '0' ? undefined : microseconds
  }

  /** Does the work of the unit, which not every OS has. */
  async #updateTrustStore(unitFailure: HostFailure): Promise<void> {
    try {
      await runOrThrow(this.#runner, { program: 'update-ca-trust', args: [], limitMs: jobLimitMs })
      this.#isTrustStoreUpdated = true
    } catch (error) {
      const isMissing = error instanceof HostFailure && error.code === 'ENOENT'
      throw isMissing ? unitFailure : error
    }
  }

  /** Changes all units at once. If that fails, changes them one by one, so that a missing unit does not stop the others. */
  async #eachExisting(verb: 'disable' | 'preset', units: readonly string[]): Promise<void> {
    if (units.length === 0) return
    const result = await this.#runner.run(this.#onDisk(verb, units))
    if (result.code !== 0) await this.#oneByOne(verb, units)
    await this.#flush()
  }

  async #oneByOne(verb: 'disable' | 'preset', units: readonly string[]): Promise<void> {
    for (const unit of units) {
      const command = this.#onDisk(verb, [unit])
      const alone = await this.#runner.run(command)
      if (alone.code !== 0 && !ignoredStates.has(await this.enablement(unit))) {
        throw exitFailure(command, alone)
      }
    }
  }

  /** Flushes the links: systemctl does not, and a step that is recorded as done must survive a power loss. */
  async #flush(): Promise<void> {
    const directory = `${withoutTrailing(this.#root, '/')}/etc/systemd/system`
    const args = [directory, '-maxdepth', '1', '-type', 'd', '-exec', 'sync', '--', '{}', '+']
    await runOrThrow(this.#runner, { program: 'find', args })
  }

  /** With `--root`, systemctl changes the links itself: it needs no running systemd, and does not make it reload. */
  #onDisk(verb: string, units: readonly string[]): Command {
    return systemctl([`--root=${this.#root}`, verb, '--', ...units.map(requireUnitName)])
  }
}

/** Units in these states have no links of their own. */
const ignoredStates = new Set<UnitEnablement>(['not-found', 'masked'])

const systemctl = (args: readonly string[], limitMs?: number): Command => ({
  program: 'systemctl',
  args,
  ...(limitMs !== undefined && { limitMs }),
})

function requireUnitName(unit: string): string {
  if (unitName.test(unit)) return unit
  throw new HostFailure(`${JSON.stringify(unit)} is not a valid unit name`, 'EINVAL')
}

/** Excludes patterns such as `*.service`, which would match other units. */
const unitName =
  /^[\w:.\\@-]{1,240}\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/

const missingUnit = /no such file|not.found|does not exist/i

const enablements: Readonly<Record<string, UnitEnablement>> = {
  enabled: 'enabled',
  'enabled-runtime': 'enabled',
  disabled: 'disabled',
  masked: 'masked',
  'masked-runtime': 'masked',
  static: 'static',
  // Has only units of `Also=`, and nothing of its own to enable.
  indirect: 'static',
  linked: 'linked',
  'linked-runtime': 'linked',
  alias: 'alias',
  generated: 'generated',
  transient: 'generated',
  'not-found': 'not-found',
}
