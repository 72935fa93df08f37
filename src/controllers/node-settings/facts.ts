import type { MachineConfig } from '../../api/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { NodeSettings, PoolSettings, SettingsProblem } from './settings-kind.ts'

/** What settings can build on in a pool; or what is waited for; or why they cannot. */
export type Ground<World> =
  { readonly world: World } | { readonly waits: string } | { readonly problem: SettingsProblem }

/** All that is known when the MachineConfigs of one object are to be made. */
export interface Facts<T extends NodeSettings, World> {
  readonly object: Readonly<T>
  /** All of the kind, with the object itself: they share pools, names and fields. */
  readonly objects: readonly Readonly<T>[]
  readonly pools: readonly PoolSettings[]
  /** By pool: of those that the object selects, and of the workers' where one of these inherits from it. */
  readonly grounds: ReadonlyMap<string, Ground<World>>
  /** What is stored under a name, whoever made it. */
  readonly stored: (name: string) => Readonly<MachineConfig> | undefined
  /** What was made from this object before. */
  readonly made: readonly Readonly<MachineConfig>[]
  readonly maker: Maker
}
