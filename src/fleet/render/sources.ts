import type { MergeTrace } from '@machinist/ignition/merge-context'
import type { Provenance } from '../../planner/model/plan-input.ts'
import type { ChangeKind } from '../../planner/model/update-plan.ts'

/** Keeps the provenance small if hundreds of MachineConfigs contribute to one value. */
const maxNamed = 8

/** Traces a merge and records the inputs of every value. Several inputs of one value are listed in merge order. */
export class MergeSources implements MergeTrace {
  readonly #names: readonly string[]
  readonly #kinds = new Map<ChangeKind, Map<string, Set<number>>>()
  readonly #sections = new Map<string, Set<number>>()
  /** Entries with only a path or name: they count as source only if no other input sets more. */
  readonly #keysOnly = new Map<ChangeKind, Map<string, number>>()

  // The last record, because the fields of one file arrive one after the other.
  #lastAdded: { kind?: ChangeKind; key?: string; from?: number } = {}
  #lastSection: { top?: string; list?: string; from?: number } = {}

  constructor(names: readonly string[]) {
    this.#names = names
  }

  decided(path: readonly string[], from: number): void {
    const [top, list, key, field] = path as [string, string, string, string]
    this.#section(top, list, from)
    if (list === 'files') this.#part('file', key, field, 'path', from)
    else if (list === 'units') this.#unit(key, field, path, from)
    else if (list === 'users' && field === 'sshAuthorizedKeys') this.add('sshKeys', key, from)
    else if (list === 'users' && field === 'passwordHash') this.add('passwordHash', key, from)
  }

  /** Removed values have no source. */
  removed(): void {}

  add(kind: ChangeKind, key: string, from: number): void {
    const last = this.#lastAdded
    if (last.key === key && last.from === from && last.kind === kind) return
    this.#lastAdded = { kind, key, from }
    addTo(mapIn(this.#kinds, kind), key, from)
  }

  provenance(): Provenance {
    for (const [kind, keys] of this.#keysOnly) {
      const recorded = mapIn(this.#kinds, kind)
      for (const [key, from] of keys) if (!recorded.has(key)) addTo(recorded, key, from)
    }
    return Object.fromEntries(
      [...this.#kinds].map(([kind, keys]) => [
        kind,
        Object.fromEntries([...keys].map(([key, inputs]) => [key, this.#text(inputs)])),
      ]),
    )
  }

  /** The inputs of one value: a file by its path, a unit by its name. */
  of(kind: ChangeKind, key: string): string[] {
    const onlyKey = this.#keysOnly.get(kind)?.get(key)
    const recorded = this.#kinds.get(kind)?.get(key)
    return this.#ordered(recorded ?? new Set(onlyKey === undefined ? [] : [onlyKey]))
  }

  /** The inputs of a part of the config: `storage.disks`, `passwd.groups`, `kernelArguments`. */
  ofSection(section: string): string[] {
    return this.#ordered(this.#sections.get(section) ?? new Set())
  }

  #section(top: string, list: string, from: number): void {
    const last = this.#lastSection
    if (last.list === list && last.from === from && last.top === top) return
    this.#lastSection = { top, list, from }
    addTo(this.#sections, top === 'kernelArguments' ? top : `${top}.${list}`, from)
  }

  #unit(unit: string, field: string, path: readonly string[], from: number): void {
    if (field !== 'dropins') return this.#part('unit', unit, field, 'name', from)
    this.#part('dropin', `${unit}/${path[4]}`, path[5]!, 'name', from)
  }

  #part(kind: ChangeKind, key: string, field: string, keyField: string, from: number): void {
    if (field === keyField) mapIn(this.#keysOnly, kind).set(key, from)
    else this.add(kind, key, from)
  }

  #ordered(inputs: ReadonlySet<number>): string[] {
    return [...inputs].sort((a, b) => a - b).map((input) => this.#names[input]!)
  }

  #text(inputs: ReadonlySet<number>): string {
    const names = this.#ordered(inputs)
    const more = names.length - maxNamed
    return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ')
  }
}

function addTo<K>(sets: Map<K, Set<number>>, key: K, from: number): void {
  const set = sets.get(key)
  if (set) set.add(from)
  else sets.set(key, new Set([from]))
}

function mapIn<K, V>(maps: Map<ChangeKind, Map<K, V>>, kind: ChangeKind): Map<K, V> {
  let map = maps.get(kind)
  if (!map) {
    map = new Map()
    maps.set(kind, map)
  }
  return map
}
