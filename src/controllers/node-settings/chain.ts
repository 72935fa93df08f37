import { nodeSettingsReasons } from '../../api/reasons.ts'
import { someOf } from '../render/gates.ts'
import type { NodeSettings, PoolSettings, SettingsKind, Settlement } from './settings-kind.ts'

/** What becomes of the objects of one pool. */
export interface PoolChain<T> {
  /** By the name of the object: what all up to it come to, or why it is left out. */
  readonly settlements: ReadonlyMap<string, Settlement>
  /** Those that are not left out, in their order. */
  readonly good: readonly Readonly<T>[]
}

/** Lays the objects of a pool over each other, after those that it inherits. What cannot be used is left out. */
export function chainOf<T extends NodeSettings, World>(
  kind: Pick<SettingsKind<T, World>, 'problems' | 'settle'>,
  pool: PoolSettings,
  world: World,
  objects: readonly Readonly<T>[],
  inherited: readonly Readonly<T>[] = [],
): PoolChain<T> {
  const settlements = new Map<string, Settlement>()
  const good: Readonly<T>[] = []
  let chain: readonly Readonly<T>[] = []
  const add = (object: Readonly<T>): Settlement => {
    const settlement = kind.settle([...chain, object], pool, world)
    if ('spec' in settlement) chain = [...chain, object]
    return settlement
  }
  const own = new Set(objects.map(({ metadata }) => metadata.name))
  for (const object of inherited) if (!own.has(object.metadata.name)) add(object)
  for (const object of objects) {
    const problems = kind.problems(object, pool)
    const { badSettings: reason } = nodeSettingsReasons
    const settlement: Settlement =
      problems.length > 0 ? { problem: { reason, message: someOf(problems) } } : add(object)
    settlements.set(object.metadata.name, settlement)
    if ('spec' in settlement) good.push(object)
  }
  return { settlements, good }
}
