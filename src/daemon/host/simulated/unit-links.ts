import type { HostFiles, HostUnits, UnitEnablement } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import { childOf, nameOf, parentOf } from '../paths.ts'
import { presetOf, presetRules } from './preset-rules.ts'
import type { UnitName } from '../unit-name.ts'
import { expand, instanceOf, isInstance, unitName } from '../unit-name.ts'
import type { FoundUnit } from './unit-search.ts'
import { findUnit } from './unit-search.ts'

/** The part of systemd that works on disk only. */
export type UnitLinks = Pick<HostUnits, 'enable' | 'disable' | 'preset' | 'enablement'>

const etc = '/etc/systemd/system'

/** Makes and removes the links that systemctl would, where there is no systemctl. */
export class PlainUnitLinks implements UnitLinks {
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async enable(units: readonly string[]): Promise<void> {
    const wanted = new Map<string, string>()
    for (const unit of await this.#withAlso(units)) {
      const found = await findUnit(this.#files, unit)
      if (!isUsable(found)) {
        if (units.includes(unit)) throw notUsable(found, unit)
        // What comes along need not be there.
        continue
      }
      for (const link of linksFor(unit, found)) wanted.set(link, found.path)
    }
    for (const [path, target] of wanted) await this.#link(path, target)
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
    if (found.is === 'masked') return 'masked'
    if (found.name !== unit) return 'alias'
    const { install } = found
    const name = unitName(unit)
    const started = name.instance === '' ? instanceOf(name, install.defaultInstance ?? '') : unit
    const links = await this.#links()
    if (links.some((link) => starts(link, started))) return 'enabled'
    // One of its instances: systemctl calls that indirect.
    if (name.instance === '' && links.some(({ path }) => isInstance(nameOf(path), unit))) {
      return 'static'
    }
    if (found.is === 'linked') return 'linked'
    const { wantedBy, requiredBy, alias } = install
    return wantedBy.length + requiredBy.length + alias.length > 0 ? 'disabled' : 'static'
  }

  async #removeLinks(units: readonly string[]): Promise<void> {
    const gone = new Set<string>()
    for (const unit of units) {
      const found = await findUnit(this.#files, unit)
      if (found?.is === 'masked') continue
      gone.add(unit)
      if (found) gone.add(found.name)
    }
    const isGone = (name: string): boolean =>
      gone.has(name) || [...gone].some((template) => isInstance(name, template))
    for (const { path, target } of await this.#links()) {
      const isAlias = parentOf(path) === etc && isGone(nameOf(target))
      if (target === '/dev/null' || !(isGone(nameOf(path)) || isAlias)) continue
      await this.#files.remove(path)
      if (parentOf(path) !== etc) await this.#files.removeDirectory(parentOf(path))
    }
  }

  /** The units, and those that their [Install] sections want along. */
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
    const entry = await this.#files.look(path)
    if (entry?.type === 'symlink' && nameOf(entry.target) === nameOf(target)) return
    if (entry) {
      throw new HostFailure(`${path} cannot be a link to ${target}: it exists already`, 'exit 1')
    }
    await this.#files.makeDirectory(parentOf(path), { mode: 0o755, uid: 0, gid: 0 })
    await this.#files.link(path, target)
  }

  async #links(): Promise<Link[]> {
    const links: Link[] = []
    const note = async (directory: string): Promise<void> => {
      for (const name of await this.#files.list(directory)) {
        const path = childOf(directory, name)
        const entry = await this.#files.look(path)
        if (entry?.type === 'symlink') links.push({ path, target: entry.target })
        if (entry?.type === 'directory' && /\.(wants|requires|upholds)$/.test(name)) {
          await note(path)
        }
      }
    }
    await note(etc)
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

type UsableUnit = Exclude<FoundUnit, { is: 'masked' }>

const isUsable = (found: FoundUnit | undefined): found is UsableUnit =>
  found !== undefined && found.is !== 'masked'

function notUsable(found: FoundUnit | undefined, unit: string): HostFailure {
  const why = found === undefined ? 'it does not exist' : 'it is masked'
  return new HostFailure(`${unit} cannot be enabled: ${why}`, 'exit 1')
}

function linksFor(unit: string, found: UsableUnit): string[] {
  const { wantedBy, requiredBy, alias, defaultInstance } = found.install
  let name: UnitName = unitName(found.name)
  if (name.instance === '') {
    if (wantedBy.length + requiredBy.length + alias.length === 0) return []
    if (!defaultInstance) {
      throw new HostFailure(
        `${unit} cannot be enabled: it is a template without an instance`,
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
