import { pools as builtIn } from '../../api/names.ts'
import type { PoolMerge } from './pool-merge.ts'
import { mergePool } from './pool-merge.ts'
import type { NodeSettingsFacts, PoolContext, PoolContexts } from './facts.ts'
import type { MachineConfigNaming } from './names.ts'
import { claimedSuffix } from './names.ts'
import { inheritsFromWorkers, selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind } from './settings-kind.ts'
import { suffixesOf } from './suffixes.ts'

/** The objects of a kind, by pool. */
export class PoolObjects<T extends NodeSettings, Context> {
  readonly #facts: Pick<NodeSettingsFacts<T, Context>, 'objects' | 'pools'>
  readonly #kind: MachineConfigNaming & Pick<SettingsKind<T, Context>, 'problems' | 'merge'>
  readonly #selected: ReadonlyMap<string, ReadonlySet<string>>
  readonly #suffixes: ReadonlyMap<string, number>

  constructor(
    facts: Pick<NodeSettingsFacts<T, Context>, 'objects' | 'pools'>,
    kind: MachineConfigNaming & Pick<SettingsKind<T, Context>, 'problems' | 'merge'>,
  ) {
    this.#facts = facts
    this.#kind = kind
    this.#selected = new Map(
      facts.objects.map((one) => {
        const selection = selectionOf(one, facts.pools)
        const pools = 'pools' in selection ? selection.pools : []
        return [one.metadata.name, new Set(pools.map(({ name }) => name))]
      }),
    )
    this.#suffixes = suffixesOf(
      facts.objects.map((one) => ({
        name: one.metadata.name,
        created: one.metadata.creationTimestamp ?? '',
        pools: this.#selected.get(one.metadata.name)!,
        claim: claimedSuffix(one, kind),
      })),
    )
  }

  suffixOf({ metadata }: Readonly<T>): number | undefined {
    return this.#suffixes.get(metadata.name)
  }

  /** The suffixes in use in a pool, including those of objects that are being deleted. */
  taken(pool: PoolSettings): Set<number> {
    return new Set(this.#in(pool).map((one) => this.suffixOf(one)!))
  }

  /** The merge of a pool; a pool that selects the MachineConfigs of workers inherits the objects of the worker pool. */
  merge(
    pool: PoolSettings,
    contexts: PoolContexts<Context>,
  ): PoolMerge<T> | Exclude<PoolContext<Context>, { readonly context: Context }> {
    const found = contexts.get(pool.name)!
    if (!('context' in found)) return found
    const objects = this.#in(pool).filter(({ metadata }) => !metadata.deletionTimestamp)
    const workers = this.#facts.pools.find(({ name }) => name === builtIn.worker)
    if (!workers || !inheritsFromWorkers(pool)) {
      return mergePool(this.#kind, pool, found.context, objects)
    }
    const inherited = this.merge(workers, contexts)
    if (!('valid' in inherited)) return inherited
    return mergePool(this.#kind, pool, found.context, objects, inherited.valid)
  }

  /** In merge order. */
  #in({ name }: PoolSettings): Readonly<T>[] {
    return this.#facts.objects
      .filter((one) => this.#selected.get(one.metadata.name)!.has(name))
      .filter((one) => this.suffixOf(one) !== undefined)
      .toSorted((a, b) => this.suffixOf(a)! - this.suffixOf(b)!)
  }
}
