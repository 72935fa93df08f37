import type { MergeTrace } from '@machinist/ignition/merge-context'
import type { Provenance } from '../../planner/plan-input.ts'
import type { ChangeKind } from '../../planner/update-plan.ts'

/** More names than anybody reads; provenance stays small even where hundreds add to one thing. */
const mostNamed = 8

/** Hears a merge and remembers which inputs brought what. Where several had a say, all are named, in their order. */
export class Sources implements MergeTrace {
  readonly #names: readonly string[]
  readonly #kinds = new Map<ChangeKind, Map<string, Set<number>>>()
  readonly #sections = new Map<string, Set<number>>()
  /** Entries that say no more than their path or name: theirs counts only while nobody says more. */
  readonly #keysOnly = new Map<ChangeKind, Map<string, number>>()

  // What was heard last is mostly heard again at once: the fields of one file come one after the other.
  #lastBrought: { kind?: ChangeKind; key?: string; from?: number } = {}
  #lastSection: { top?: string; list?: string; from?: number } = {}

  constructor(names: readonly string[]) {
    this.#names = names
  }

  decided(path: readonly string[], from: number): void {
    const [top, list, key, field] = path as [string, string, string, string]
    this.#section(top, list, from)
    if (list === 'files') this.#part('file', key, field, 'path', from)
    else if (list === 'units') this.#unit(key, field, path, from)
    else if (list === 'users' && field === 'sshAuthorizedKeys') this.brought('sshKeys', key, from)
    else if (list === 'users' && field === 'passwordHash') this.brought('passwordHash', key, from)
  }

  /** What is gone has no origin. */
  removed(): void {}

  brought(kind: ChangeKind, key: string, from: number): void {
    const last = this.#lastBrought
    if (last.key === key && last.from === from && last.kind === kind) return
    this.#lastBrought = { kind, key, from }
    add(mapIn(this.#kinds, kind), key, from)
  }

  provenance(): Provenance {
    for (const [kind, keys] of this.#keysOnly) {
      const said = mapIn(this.#kinds, kind)
      for (const [key, from] of keys) if (!said.has(key)) add(said, key, from)
    }
    return Object.fromEntries(
      [...this.#kinds].map(([kind, keys]) => [
        kind,
        Object.fromEntries([...keys].map(([key, inputs]) => [key, this.#text(inputs)])),
      ]),
    )
  }

  /** Who brought one thing: a file by its path, a unit by its name. */
  of(kind: ChangeKind, key: string): string[] {
    const onlyKey = this.#keysOnly.get(kind)?.get(key)
    const said = this.#kinds.get(kind)?.get(key)
    return this.#ordered(said ?? new Set(onlyKey === undefined ? [] : [onlyKey]))
  }

  /** Who spoke of a part of the config: `storage.disks`, `passwd.groups`, `kernelArguments`. */
  ofSection(section: string): string[] {
    return this.#ordered(this.#sections.get(section) ?? new Set())
  }

  #section(top: string, list: string, from: number): void {
    const last = this.#lastSection
    if (last.list === list && last.from === from && last.top === top) return
    this.#lastSection = { top, list, from }
    add(this.#sections, top === 'kernelArguments' ? top : `${top}.${list}`, from)
  }

  #unit(unit: string, field: string, path: readonly string[], from: number): void {
    if (field !== 'dropins') return this.#part('unit', unit, field, 'name', from)
    this.#part('dropin', `${unit}/${path[4]}`, path[5]!, 'name', from)
  }

  #part(kind: ChangeKind, key: string, field: string, keyField: string, from: number): void {
    if (field === keyField) mapIn(this.#keysOnly, kind).set(key, from)
    else this.brought(kind, key, from)
  }

  #ordered(inputs: ReadonlySet<number>): string[] {
    return [...inputs].sort((a, b) => a - b).map((input) => this.#names[input]!)
  }

  #text(inputs: ReadonlySet<number>): string {
    const names = this.#ordered(inputs)
    const more = names.length - mostNamed
    return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ')
  }
}

function add<K>(sets: Map<K, Set<number>>, key: K, from: number): void {
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
