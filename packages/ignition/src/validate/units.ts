import type { Config, Dropin, Unit } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import type { UnitSyntax } from './unit-syntax.ts'
import { readUnitSyntax } from './unit-syntax.ts'

const unitSuffix =
  /\.(?:service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$/
const dropinSuffix = /\.conf$/

export function checkUnits(units: readonly Unit[], place: Place): void {
  const templates = new Map<string, UnitSyntax>()
  for (const [i, unit] of units.entries()) {
    const syntax = checkUnit(unit, place.at(i))
    if (unit.contents && unit.name.endsWith('@.service')) templates.set(unit.name, syntax)
  }
  for (const [i, unit] of units.entries()) {
    const template = unit.enabled === true ? templateOf(unit.name) : undefined
    const syntax = template && templates.get(template)
    if (!syntax || syntax.problem || syntax.installs) continue
    place.at(i, 'enabled').warn(`has no effect: the template ${template} has no [Install] section`)
  }
}

/**
 * A file at the path of a unit would overwrite the unit, or the unit the file. Ignition rejects this since 2.15, the first release
 * that supports spec 3.4.
 */
export function checkUnitPaths({ storage, systemd }: Config, spec: Spec, place: Place): void {
  const paths = new Set((systemd?.units ?? []).flatMap(writtenPaths))
  if (paths.size === 0) return
  const { directories = [], files = [], links = [] } = storage ?? {}
  for (const [list, nodes] of Object.entries({ directories, files, links })) {
    for (const [i, { path }] of nodes.entries()) {
      if (!paths.has(path)) continue
      const at = place.at('storage', list, i, 'path')
      const problem = 'is also the path of a systemd unit or drop-in'
      if (specAtLeast(spec, '3.4')) at.error(problem)
      else at.warn(`${problem}; Ignition 2.15 and later reject this`)
    }
  }
}

function checkUnit(unit: Unit, place: Place): UnitSyntax {
  if (!unitSuffix.test(unit.name)) {
    place.at('name').error('must end with a unit type, such as .service or .timer')
  }
  const syntax = checkContents(unit.contents, place.at('contents'))
  if (unit.enabled === true && unit.contents && !syntax.problem && !syntax.installs) {
    place.at('enabled').warn('has no effect: the contents have no [Install] section')
  }
  for (const [i, dropin] of (unit.dropins ?? []).entries()) {
    checkDropin(dropin, place.at('dropins', i))
  }
  return syntax
}

function checkDropin({ name, contents }: Dropin, place: Place): void {
  checkContents(contents, place.at('contents'))
  if (!dropinSuffix.test(name)) place.at('name').error('must end with .conf')
}

function checkContents(contents: string | undefined, place: Place): UnitSyntax {
  const syntax = readUnitSyntax(contents ?? '')
  if (syntax.problem) place.error(`is not a valid systemd unit: ${syntax.problem}`)
  return syntax
}

/** `a@.service` for `a@b.service`. */
function templateOf(name: string): string | undefined {
  const at = name.indexOf('@', 1)
  const instance = at < 0 ? '' : name.slice(at + 1)
  const suffix = '.service'
  if (!instance.endsWith(suffix) || instance.length === suffix.length) return undefined
  return `${name.slice(0, at)}@.service`
}

function writtenPaths({ name, contents, dropins = [] }: Unit): string[] {
  const unitPath = `/etc/systemd/system/${name}`
  const dropinPaths = dropins
    .filter((dropin) => dropin.contents)
    .map((dropin) => `${unitPath}.d/${dropin.name}`)
  return contents ? [unitPath, ...dropinPaths] : dropinPaths
}
