import type { PathElement } from './path-element.ts'
import { compareElements } from './path-element.ts'

export type Path = readonly PathElement[]

/** An immutable set of field paths. */
export class FieldSet {
  static readonly empty = new FieldSet(new Set(), new Map())

  /** Elements that are in the set themselves. */
  private readonly members: ReadonlySet<PathElement>
  /** Nested sets; never empty. */
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

  /** Empty paths are ignored. */
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

  /** The set below an element. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.empty
  }

  /** All first elements, in kube-apiserver's order. */
  steps(): PathElement[] {
    return [...new Set([...this.members, ...this.children.keys()])].sort(compareElements)
  }

  /** The elements of a level before nested ones. */
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

  /** Removes the paths of `other` and everything below them. */
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

  /** A set with the same structure, rebuilt level by level. */
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
