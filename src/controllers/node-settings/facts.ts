import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { StoredConfigs } from '../generated/caches.ts'
import type { NodeSettings, PoolSettings, SettingsProblem } from './settings-kind.ts'

/** The facts of a pool that the merge needs; or what the pool waits for; or why they are unusable. */
export type PoolContext<Context> =
  | { readonly context: Context }
  | { readonly waitsFor: string }
  | { readonly problem: SettingsProblem }

export type PoolContexts<Context> = ReadonlyMap<string, PoolContext<Context>>

/** Everything that determines the MachineConfigs of one object. */
export interface NodeSettingsFacts<T extends NodeSettings, Context> {
  readonly object: Readonly<T>
  /** All objects of the kind, including this one: they share pools, names and fields. */
  readonly objects: readonly Readonly<T>[]
  readonly pools: readonly PoolSettings[]
  /** By pool: the selected pools, and the worker pool if one of them inherits from it. Empty if the object is being deleted. */
  readonly contexts: PoolContexts<Context>
  /** The stored MachineConfigs of any writer with a name that selected pools may use. */
  readonly stored: StoredConfigs
  /** The MachineConfigs that were generated from this object. */
  readonly made: readonly Readonly<MachineConfig>[]
  readonly maker: Maker
}
