import { dropinPath, unitPath } from '../api/node-paths.ts'
import type { Config } from '../ignition/config.ts'
import type { Differences } from './differences.ts'
import { filesOf } from './files.ts'
import type { UnitDifference, UnitState } from './units.ts'
import { dropinsOf, unitsOf } from './units.ts'
import type { Step } from './update-plan.ts'
import { byText } from './wording.ts'

/** Units and drop-ins: first what is in the way of `systemctl enable` goes, then files are written, removed, and enabled. */
export function unitSteps(after: Config, differences: Differences, forced: boolean): Step[] {
  const units = forced ? withUnchanged(after, differences.units) : differences.units
  const files = filesOf(after)
  const writtenDropins = forced
    ? [...dropinsOf(after).values()]
    : differences.dropins.filter((one) => one.after !== undefined)
  const removedDropins = differences.dropins.filter((one) => one.after === undefined)
  const unitFiles = units.flatMap((unit) => fileStep(unit, forced))
  const isWriting = ({ do: verb }: Step): boolean => verb === 'write-unit' || verb === 'mask-unit'
  return [
    ...setUnits({ disable: units.filter(isDisabledFirst).map(({ name }) => name) }),
    ...unitFiles.filter(isWriting),
    ...writtenDropins.map(({ unit, dropin }): Step => ({ do: 'write-dropin', unit, dropin })),
    ...unitFiles.filter(
      (step) => !isWriting(step) && 'unit' in step && !files.has(unitPath(step.unit)),
    ),
    ...removedDropins
      .filter(({ unit, dropin }) => !files.has(dropinPath(unit, dropin)))
      .map(({ unit, dropin }): Step => ({ do: 'remove-dropin', unit, dropin })),
    ...enablement(units, forced),
  ]
}

/** Paths that hold units or drop-ins once the config is on the disk. */
export function unitPathsOf(config: Config): ReadonlySet<string> {
  const units = [...unitsOf(config)].filter(
    ([, { file }]) => file === 'written' || file === 'masked',
  )
  return new Set([
    ...units.map(([name]) => unitPath(name)),
    ...[...dropinsOf(config).values()].map(({ unit, dropin }) => dropinPath(unit, dropin)),
  ])
}

function withUnchanged(after: Config, differing: readonly UnitDifference[]): UnitDifference[] {
  const all = new Map([...unitsOf(after)].map(([name, state]) => [name, same(name, state)]))
  for (const unit of differing) all.set(unit.name, unit)
  return [...all.values()].sort((a, b) => byText(a.name, b.name))
}

const same = (name: string, state: UnitState): UnitDifference => ({
  name,
  before: state,
  after: state,
})

function fileStep({ name: unit, before, after }: UnitDifference, forced: boolean): Step[] {
  const changed = before.file !== after.file || before.contents !== after.contents
  if (after.file === 'written') return changed || forced ? [{ do: 'write-unit', unit }] : []
  if (after.file === 'masked') return changed || forced ? [{ do: 'mask-unit', unit }] : []
  if (before.file === 'written') return [{ do: 'remove-unit', unit }]
  if (before.file === 'masked') return [{ do: 'unmask-unit', unit }]
  return after.file === 'unmasked' && (changed || forced) ? [{ do: 'unmask-unit', unit }] : []
}

/** The links of an enabled unit are where its old file says; once that is gone nobody knows them. */
function isDisabledFirst({ before, after }: UnitDifference): boolean {
  if (before.file !== 'written' || before.enabled === false || after.file === 'masked') return false
  return after.file !== 'written' || installSection(before) !== installSection(after)
}

function installSection({ contents = '' }: UnitState): string {
  let inside = false
  return contents
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => {
      if (line.startsWith('[')) inside = line === '[Install]'
      return inside && line !== '' && !/^[#;]/.test(line)
    })
    .join('\n')
}

function enablement(units: readonly UnitDifference[], forced: boolean): Step[] {
  const stated = units.filter(
    (unit) => unit.after.file !== 'masked' && (forced || isStatedAnew(unit)),
  )
  const named = (enabled: boolean | undefined): string[] =>
    stated.filter(({ after }) => after.enabled === enabled).map(({ name }) => name)
  return setUnits({ enable: named(true), disable: named(false), preset: named(undefined) })
}

function isStatedAnew(unit: UnitDifference): boolean {
  const { before, after } = unit
  return (
    before.enabled !== after.enabled ||
    before.file === 'masked' ||
    (before.file !== 'written' && after.file === 'written') ||
    isDisabledFirst(unit)
  )
}

interface UnitLists {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  readonly preset?: readonly string[]
}

function setUnits({ enable = [], disable = [], preset = [] }: UnitLists): Step[] {
  if (enable.length + disable.length + preset.length === 0) return []
  return [{ do: 'set-units', enable, disable, preset }]
}
