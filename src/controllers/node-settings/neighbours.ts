import { pools as builtIn } from '../../api/names.ts'
import type { PoolChain } from './chain.ts'
import { chainOf } from './chain.ts'
import type { Facts, Ground } from './facts.ts'
import type { Naming } from './names.ts'
import { claimedSuffix } from './names.ts'
import { inheritsFromWorkers, selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind } from './settings-kind.ts'
import { suffixesOf } from './suffixes.ts'

/** The objects of a kind in their pools. */
export class Neighbours<T extends NodeSettings, World> {
  readonly #facts: Facts<T, World>
  readonly #kind: Naming & Pick<SettingsKind<T, World>, 'problems' | 'settle'>
  readonly #selected: ReadonlyMap<string, ReadonlySet<string>>
  readonly #suffixes: ReadonlyMap<string, number>

  constructor(
    facts: Facts<T, World>,
    kind: Naming & Pick<SettingsKind<T, World>, 'problems' | 'settle'>,
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

  /** The suffixes that are in use in a pool, also by what is being deleted. */
  taken(pool: PoolSettings): Set<number> {
    return new Set(this.#in(pool).map((one) => this.suffixOf(one)!))
  }

  /** The chain of a pool; one that gets the MachineConfigs of workers begins with what holds for them. */
  chain(pool: PoolSettings): PoolChain<T> | Exclude<Ground<World>, { readonly world: World }> {
    const { grounds, pools } = this.#facts
    const ground = grounds.get(pool.name)!
    if (!('world' in ground)) return ground
    const objects = this.#in(pool).filter(({ metadata }) => !metadata.deletionTimestamp)
    const workers = pools.find(({ name }) => name === builtIn.worker)
    if (!workers || !inheritsFromWorkers(pool)) {
      return chainOf(this.#kind, pool, ground.world, objects)
    }
    const theirs = this.chain(workers)
    if (!('good' in theirs)) return theirs
    return chainOf(this.#kind, pool, ground.world, objects, theirs.good)
  }

  /** In the order in which they are laid over each other. */
  #in({ name }: PoolSettings): Readonly<T>[] {
    return this.#facts.objects
      .filter((one) => this.#selected.get(one.metadata.name)!.has(name))
      .filter((one) => this.suffixOf(one) !== undefined)
      .toSorted((a, b) => this.suffixOf(a)! - this.suffixOf(b)!)
  }
}
