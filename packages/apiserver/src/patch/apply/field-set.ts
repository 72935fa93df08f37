import type { PathElement } from './path-element.ts'
import { compareElements } from './path-element.ts'

export type Path = readonly PathElement[]

/** A set of paths into an object. Values never change; every operation gives a new set. */
export class FieldSet {
  static readonly empty = new FieldSet(new Set(), new Map())

  /** The steps that are in the set by themselves. */
  private readonly members: ReadonlySet<PathElement>
  /** What is in the set below a step; never empty sets. */
  private readonly children: ReadonlyMap<PathElement, FieldSet>

  private constructor(
    members: ReadonlySet<PathElement>,
    children: ReadonlyMap<PathElement, FieldSet>,
  ) {
    this.members = members
    this.children = children
  }

  static of(members: Iterable<PathElement>, children: Iterable<[PathElement, FieldSet]>): FieldSet {
    const kept = [...children].filter(([, below]) => !below.isEmpty)
    return new FieldSet(new Set(members), new Map(kept))
  }

  /** Paths of no step are no fields and are left out. */
  static from(paths: Iterable<Path>): FieldSet {
    const root: Growing = { members: new Set(), children: new Map() }
    for (const path of paths) insert(root, path)
    return grown(root)
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0
  }

  hasMember(element: PathElement): boolean {
    return this.members.has(element)
  }

  has(path: Path): boolean {
    const last = path.at(-1)
    if (last === undefined) return false
    const parent = path.slice(0, -1).reduce<FieldSet>((set, step) => set.below(step), this)
    return parent.hasMember(last)
  }

  /** What is in the set below a step. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.empty
  }

  /** All first steps, in the order in which a server prints them. */
  steps(): PathElement[] {
    return [...new Set([...this.members, ...this.children.keys()])].sort(compareElements)
  }

  /** The steps of a level before what is below them. */
  paths(): Path[] {
    const steps = this.steps()
    return [
      ...steps.filter((step) => this.members.has(step)).map((step): Path => [step]),
      ...steps.flatMap((step) =>
        this.below(step)
          .paths()
          .map((path): Path => [step].concat(path)),
      ),
    ]
  }

  union(other: FieldSet): FieldSet {
    const children = new Map(this.children)
    for (const [step, below] of other.children) children.set(step, this.below(step).union(below))
    return FieldSet.of(this.members.union(other.members), children)
  }

  intersection(other: FieldSet): FieldSet {
    return FieldSet.of(
      this.members.intersection(other.members),
      this.mapChildren((below, step) => below.intersection(other.below(step))),
    )
  }

  difference(other: FieldSet): FieldSet {
    return FieldSet.of(
      this.members.difference(other.members),
      this.mapChildren((below, step) => below.difference(other.below(step))),
    )
  }

  /** Without the paths of `other` and everything below them. */
  without(other: FieldSet): FieldSet {
    return FieldSet.of(
      this.members.difference(other.members),
      this.mapChildren((below, step) =>
        other.hasMember(step) ? FieldSet.empty : below.without(other.below(step)),
      ),
    )
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty
  }

  /** A set of the same steps, rebuilt level by level. */
  rebuilt(
    members: (
      present: ReadonlySet<PathElement>,
      parents: readonly PathElement[],
    ) => Set<PathElement>,
    child: (below: FieldSet, step: PathElement) => FieldSet,
  ): FieldSet {
    return FieldSet.of(members(this.members, [...this.children.keys()]), this.mapChildren(child))
  }

  private mapChildren(
    change: (below: FieldSet, step: PathElement) => FieldSet,
  ): [PathElement, FieldSet][] {
    return [...this.children].map(([step, below]) => [step, change(below, step)])
  }
}

interface Growing {
  readonly members: Set<PathElement>
  readonly children: Map<PathElement, Growing>
}

function insert(root: Growing, path: Path): void {
  let at = root
  for (const [i, step] of path.entries()) {
    if (i === path.length - 1) at.members.add(step)
    else {
      const next = at.children.get(step) ?? { members: new Set(), children: new Map() }
      at.children.set(step, next)
      at = next
    }
  }
}

function grown({ members, children }: Growing): FieldSet {
  return FieldSet.of(
    members,
    [...children].map(([step, below]) => [step, grown(below)]),
  )
}
