import type { Config } from '@machinist/ignition/spec/config'
import { dropinPath, unitPath } from '../../api/node-paths.ts'
import type { Differences } from '../differences/differences.ts'
import { filesOf } from '../differences/files.ts'
import type { UnitDifference, UnitState } from '../differences/units.ts'
import { dropinsOf, unitsOf } from '../differences/units.ts'
import type { PlanStep } from '../model/update-plan.ts'
import { byText } from '../model/wording.ts'

/** Steps for units and drop-ins: disable units whose links would be lost, write files, remove files, set enablement. */
export function unitSteps(after: Config, differences: Differences, forced: boolean): PlanStep[] {
  const units = forced ? withUnchanged(after, differences.units) : differences.units
  const files = filesOf(after)
  const writtenDropins = forced
    ? [...dropinsOf(after).values()]
    : differences.dropins.filter((one) => one.after !== undefined)
  const removedDropins = differences.dropins.filter((one) => one.after === undefined)
  const unitFiles = units.flatMap((unit) => fileStep(unit, forced))
  const isWriting = ({ do: verb }: PlanStep): boolean =>
    verb === 'write-unit' || verb === 'mask-unit'
  return [
    ...setUnits({ disable: units.filter(isDisabledFirst).map(({ name }) => name) }),
    ...unitFiles.filter(isWriting),
    ...writtenDropins.map(({ unit, dropin }): PlanStep => ({ do: 'write-dropin', unit, dropin })),
    ...unitFiles.filter(
      (step) => !isWriting(step) && 'unit' in step && !files.has(unitPath(step.unit)),
    ),
    ...removedDropins
      .filter(({ unit, dropin }) => !files.has(dropinPath(unit, dropin)))
      .map(({ unit, dropin }): PlanStep => ({ do: 'remove-dropin', unit, dropin })),
    ...enablement(units, unitsOf(after), forced),
  ]
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

function fileStep({ name: unit, before, after }: UnitDifference, forced: boolean): PlanStep[] {
  const changed = before.file !== after.file || before.contents !== after.contents
  if (after.file === 'written') return changed || forced ? [{ do: 'write-unit', unit }] : []
  if (after.file === 'masked') return changed || forced ? [{ do: 'mask-unit', unit }] : []
  if (before.file === 'written') return [{ do: 'remove-unit', unit }]
  if (before.file === 'masked') return [{ do: 'unmask-unit', unit }]
  return after.file === 'unmasked' && (changed || forced) ? [{ do: 'unmask-unit', unit }] : []
}

/** The old file determines the links of an enabled unit, so it must be disabled before the file is removed or changed. */
function isDisabledFirst({ before, after }: UnitDifference): boolean {
  if (before.file !== 'written' || before.enabled === false) return false
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

function enablement(
  units: readonly UnitDifference[],
  all: ReadonlyMap<string, UnitState>,
  forced: boolean,
): PlanStep[] {
  const stated = units.filter(
    (unit) => unit.after.file !== 'masked' && (forced || needsEnablement(unit)),
  )
  const named = (enabled: boolean | undefined): string[] =>
    stated.filter(({ after }) => after.enabled === enabled).map(({ name }) => name)
  const enable = new Set([...named(true), ...disabledAlong(units, all)])
  return setUnits({
    enable: [...enable].sort(byText),
    disable: named(false),
    preset: named(undefined),
  })
}

/** Units that must be enabled, but that systemctl disables because of `Also=` in a unit that is being disabled. */
function disabledAlong(
  units: readonly UnitDifference[],
  all: ReadonlyMap<string, UnitState>,
): string[] {
  return units
    .filter((unit) => isDisabledFirst(unit) || unit.after.enabled === false)
    .flatMap(({ before, after }) => alsoOf(before).concat(alsoOf(after)))
    .filter((name) => all.get(name)?.enabled === true)
}

function alsoOf(unit: UnitState): string[] {
  return installSection(unit)
    .split('\n')
    .flatMap((line) => /^Also\s*=(.*)$/.exec(line)?.[1]?.split(/\s+/) ?? [])
}

function needsEnablement(unit: UnitDifference): boolean {
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

function setUnits({ enable = [], disable = [], preset = [] }: UnitLists): PlanStep[] {
  if (enable.length + disable.length + preset.length === 0) return []
  return [{ do: 'set-units', enable, disable, preset }]
}
