import type { Config, Unit } from '@machinist/ignition/spec/config'
import { plain } from '@machinist/core/quoted'
import { dropinPath, unitPath } from '../../api/node-paths.ts'
import { byText, contentSize } from '../model/wording.ts'

/** The desired state of a unit, without its drop-ins. */
export interface UnitState {
  /** `unmasked`: the unit must not be masked. `none`: not specified. */
  readonly file: 'none' | 'unmasked' | 'masked' | 'written'
  /** The content, if the file is written. */
  readonly contents?: string
  readonly enabled?: boolean
}

export interface UnitDifference {
  readonly name: string
  readonly before: UnitState
  readonly after: UnitState
}

export interface DropinDifference {
  readonly unit: string
  readonly dropin: string
  /** The contents. A drop-in without contents does not exist. */
  readonly before: string | undefined
  readonly after: string | undefined
}

const unspecified: UnitState = { file: 'none' }

export function unitsOf(config: Config): ReadonlyMap<string, UnitState> {
  return new Map((config.systemd?.units ?? []).map((unit) => [unit.name, stateOf(unit)]))
}

/** Units that differ, without those of which only drop-ins differ. Sorted by name. */
export function differingUnits(
  before: ReadonlyMap<string, UnitState>,
  after: ReadonlyMap<string, UnitState>,
): UnitDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort(byText)
    .map((name) => ({
      name,
      before: before.get(name) ?? unspecified,
      after: after.get(name) ?? unspecified,
    }))
    .filter((unit) => !sameState(unit.before, unit.after))
}

export interface WrittenDropin {
  readonly unit: string
  readonly dropin: string
  readonly contents: string
}

/** Drop-ins with contents, by `unit/drop-in`. */
export function dropinsOf(config: Config): ReadonlyMap<string, WrittenDropin> {
  const written = new Map<string, WrittenDropin>()
  for (const { name: unit, dropins = [] } of config.systemd?.units ?? []) {
    for (const { name: dropin, contents = '' } of dropins) {
      if (contents !== '') written.set(`${unit}/${dropin}`, { unit, dropin, contents })
    }
  }
  return written
}

/** The paths of units and drop-ins that the config writes, with their description. */
export function unitPathsOf(config: Config): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  for (const [name, { file }] of unitsOf(config)) {
    if (file === 'written' || file === 'masked') paths.set(unitPath(name), `unit ${plain(name)}`)
  }
  for (const { unit, dropin } of dropinsOf(config).values()) {
    paths.set(dropinPath(unit, dropin), `drop-in ${plain(dropin)} of unit ${plain(unit)}`)
  }
  return paths
}

/** Sorted by unit and name. */
export function differingDropins(
  before: ReadonlyMap<string, WrittenDropin>,
  after: ReadonlyMap<string, WrittenDropin>,
): DropinDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort(byText).flatMap((key) => {
    const [old, now] = [before.get(key), after.get(key)]
    if (old?.contents === now?.contents) return []
    const { unit, dropin } = (now ?? old)!
    return { unit, dropin, before: old?.contents, after: now?.contents }
  })
}

/** Names of units that differ or whose drop-ins differ. Sorted, without duplicates. */
export function changedUnits(
  units: readonly UnitDifference[],
  dropins: readonly DropinDifference[],
): string[] {
  const all = [...units.map(({ name }) => name), ...dropins.map(({ unit }) => unit)]
  return [...new Set(all)].sort(byText)
}

export const isUnspecified = ({ file, enabled }: UnitState): boolean =>
  file === 'none' && enabled === undefined

export function unitSummary({ name, before, after }: UnitDifference): string {
  const parts = [filePart(before, after), enablementPart(before, after)]
  return `unit ${plain(name)} ${parts.filter(Boolean).join('; ')}.`
}

export function dropinSummary({ unit, dropin, before, after }: DropinDifference): string {
  const name = `drop-in ${plain(dropin)} of unit ${plain(unit)}`
  if (after === undefined) return `${name} is removed.`
  if (before === undefined) return `${name} is created: ${contentSize(after)}.`
  return `${name} changes from ${contentSize(before)} to ${contentSize(after)}.`
}

function stateOf({ contents = '', mask, enabled }: Unit): UnitState {
  // systemd cannot enable a masked unit, so enablement is ignored.
  if (mask === true) return { file: 'masked' }
  const state = enabled === undefined ? {} : { enabled }
  if (contents !== '') return { file: 'written', contents, ...state }
  return { file: mask === false ? 'unmasked' : 'none', ...state }
}

function sameState(before: UnitState, after: UnitState): boolean {
  const sameFile =
    (before.file === after.file && before.contents === after.contents) ||
    // Removing `mask: false` has no effect.
    (before.file === 'unmasked' && after.file === 'none')
  return sameFile && before.enabled === after.enabled
}

function filePart(before: UnitState, after: UnitState): string {
  if (after.file === 'written') {
    const size = contentSize(after.contents!)
    if (before.file !== 'written') return `is created: ${size}`
    if (before.contents === after.contents) return ''
    return `changes from ${contentSize(before.contents!)} to ${size}`
  }
  if (after.file === 'masked') return before.file === 'masked' ? '' : 'is masked'
  if (before.file === 'written')
    return 'is removed; a unit of the operating system with this name is restored'
  return before.file === 'masked' || after.file !== before.file ? 'is no longer masked' : ''
}

function enablementPart(before: UnitState, after: UnitState): string {
  if (before.enabled === after.enabled || after.file === 'masked') return ''
  if (after.enabled === undefined) return 'is enabled or disabled by the presets'
  return after.enabled ? 'is enabled' : 'is disabled'
}
