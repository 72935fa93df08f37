import { nodeSettingsReasons } from '../../api/reasons.ts'
import { someOf } from '../render/block.ts'
import type { NodeSettings, PoolSettings, SettingsKind, MergeResult } from './settings-kind.ts'

/** The merge of the objects of one pool. */
export interface PoolMerge<T> {
  /** By name of the object: the merge of all objects up to it, or why it is skipped. */
  readonly results: ReadonlyMap<string, MergeResult>
  /** The valid objects, in merge order. */
  readonly valid: readonly Readonly<T>[]
}

/** Merges the objects of a pool, after the inherited ones. Invalid objects are skipped. */
export function mergePool<T extends NodeSettings, Context>(
  kind: Pick<SettingsKind<T, Context>, 'problems' | 'merge'>,
  pool: PoolSettings,
  context: Context,
  objects: readonly Readonly<T>[],
  inherited: readonly Readonly<T>[] = [],
): PoolMerge<T> {
  const results = new Map<string, MergeResult>()
  const valid: Readonly<T>[] = []
  let merged: readonly Readonly<T>[] = []
  const add = (object: Readonly<T>): MergeResult => {
    const result = kind.merge([...merged, object], pool, context)
    if ('spec' in result) merged = [...merged, object]
    return result
  }
  const own = new Set(objects.map(({ metadata }) => metadata.name))
  for (const object of inherited) if (!own.has(object.metadata.name)) add(object)
  for (const object of objects) {
    const problems = kind.problems(object, pool)
    const { badSettings: reason } = nodeSettingsReasons
    const result: MergeResult =
      problems.length > 0 ? { problem: { reason, message: someOf(problems) } } : add(object)
    results.set(object.metadata.name, result)
    if ('spec' in result) valid.push(object)
  }
  return { results, valid }
}
