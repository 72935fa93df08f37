import type { HostFiles, HostUnits, UnitEnablement } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import { childOf, nameOf, parentOf } from '../paths.ts'
import type { UnitName } from '../unit-name.ts'
import { expand, instanceOf, isInstance, unitName } from '../unit-name.ts'
import { presetOf, presetRules } from './preset-rules.ts'
import type { FoundUnit } from './unit-search.ts'
import { findUnit } from './unit-search.ts'

/** The methods of HostUnits that work on disk only. */
export type UnitLinks = Pick<HostUnits, 'enable' | 'disable' | 'preset' | 'enablement'>

const etc = '/etc/systemd/system'

/** Creates and removes the same links as systemctl, without systemctl. */
export class PlainUnitLinks implements UnitLinks {
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async enable(units: readonly string[]): Promise<void> {
    const links = new Map<string, string>()
    for (const unit of await this.#withAlso(units)) {
      const found = await findUnit(this.#files, unit)
      if (!isUsable(found)) {
        if (units.includes(unit)) throw notUsable(found, unit)
        // A unit of `Also=` may be missing.
        continue
      }
      for (const link of linksFor(unit, found)) links.set(link, found.path)
    }
    for (const [path, target] of links) await this.#link(path, target)
  }

  async disable(units: readonly string[]): Promise<void> {
    await this.#removeLinks(await this.#withAlso(units))
  }

  async preset(units: readonly string[]): Promise<void> {
    const rules = await presetRules(this.#files)
    for (const unit of units) {
      const found = await findUnit(this.#files, unit)
      if (!isUsable(found)) continue
      const { enable, disable } = presetOf(rules, unit)
      await this.#removeLinks(disable)
      await this.enable(enable)
    }
  }

  async enablement(unit: string): Promise<UnitEnablement> {
    const found = await findUnit(this.#files, unit)
    if (found === undefined) return 'not-found'
    if (found.type === 'masked') return 'masked'
    if (found.name !== unit) return 'alias'
    const { install } = found
    const name = unitName(unit)
    const started = name.instance === '' ? instanceOf(name, install.defaultInstance ?? '') : unit
    const links = await this.#links()
    if (links.some((link) => starts(link, started))) return 'enabled'
    // An instance is enabled: systemctl reports `indirect`.
    if (name.instance === '' && links.some(({ path }) => isInstance(nameOf(path), unit))) {
      return 'static'
    }
    if (found.type === 'linked') return 'linked'
    const { wantedBy, requiredBy, alias } = install
    return wantedBy.length + requiredBy.length + alias.length > 0 ? 'disabled' : 'static'
  }

  async #removeLinks(units: readonly string[]): Promise<void> {
    const disabled = new Set<string>()
    for (const unit of units) {
      const found = await findUnit(this.#files, unit)
      if (found?.type === 'masked') continue
      disabled.add(unit)
      if (found) disabled.add(found.name)
    }
    const isDisabled = (name: string): boolean =>
      disabled.has(name) || [...disabled].some((template) => isInstance(name, template))
    for (const { path, target } of await this.#links()) {
      const isAlias = parentOf(path) === etc && isDisabled(nameOf(target))
      if (target === '/dev/null' || !(isDisabled(nameOf(path)) || isAlias)) continue
      await this.#files.remove(path)
      if (parentOf(path) !== etc) await this.#files.removeDirectory(parentOf(path))
    }
  }

  /** The units, and the units of `Also=` in their [Install] sections. */
  async #withAlso(units: readonly string[]): Promise<string[]> {
    const all = new Set<string>()
    const todo = [...units]
    for (let unit = todo.shift(); unit !== undefined; unit = todo.shift()) {
      if (all.has(unit)) continue
      all.add(unit)
      const found = await findUnit(this.#files, unit)
      if (!isUsable(found)) continue
      todo.push(...found.install.also.map((also) => expand(also, unitName(unit))))
    }
    return [...all]
  }

  async #link(path: string, target: string): Promise<void> {
    const entry = await this.#files.stat(path)
    if (entry?.type === 'symlink' && nameOf(entry.target) === nameOf(target)) return
    if (entry) {
      throw new HostFailure(`cannot link ${path} to ${target}: the path exists`, 'exit 1')
    }
    await this.#files.makeDirectory(parentOf(path), { mode: 0o755, uid: 0, gid: 0 })
    await this.#files.link(path, target)
  }

  async #links(): Promise<Link[]> {
    const links: Link[] = []
    const collect = async (directory: string): Promise<void> => {
      for (const name of await this.#files.list(directory)) {
        const path = childOf(directory, name)
        const entry = await this.#files.stat(path)
        if (entry?.type === 'symlink') links.push({ path, target: entry.target })
        if (entry?.type === 'directory' && /\.(wants|requires|upholds)$/.test(name)) {
          await collect(path)
        }
      }
    }
    await collect(etc)
    return links
  }
}

interface Link {
  readonly path: string
  readonly target: string
}

function starts({ path, target }: Link, unit: string): boolean {
  const isName = nameOf(path) === unit
  return parentOf(path) === etc ? !isName && nameOf(target) === unit : isName
}

type UsableUnit = Exclude<FoundUnit, { type: 'masked' }>

const isUsable = (found: FoundUnit | undefined): found is UsableUnit =>
  found !== undefined && found.type !== 'masked'

function notUsable(found: FoundUnit | undefined, unit: string): HostFailure {
  const why = found === undefined ? 'the unit does not exist' : 'the unit is masked'
  return new HostFailure(`cannot enable ${unit}: ${why}`, 'exit 1')
}

function linksFor(unit: string, found: UsableUnit): string[] {
  const { wantedBy, requiredBy, alias, defaultInstance } = found.install
  let name: UnitName = unitName(found.name)
  if (name.instance === '') {
    if (wantedBy.length + requiredBy.length + alias.length === 0) return []
    if (!defaultInstance) {
      throw new HostFailure(
        `cannot enable ${unit}: the unit is a template without an instance`,
        'exit 1',
      )
    }
    name = unitName(instanceOf(name, defaultInstance))
  }
  const below = (suffix: string) => (by: string) =>
    `${etc}/${expand(by, name)}.${suffix}/${name.full}`
  return [
    ...alias.map((other) => `${etc}/${expand(other, name)}`),
    ...wantedBy.map(below('wants')),
    ...requiredBy.map(below('requires')),
  ]
}
