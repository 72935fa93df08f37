import type { Maker } from '../../fleet/render/maker.ts'
import type { StoredConfigs } from '../generated/caches.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { ClusterKind } from './cluster-settings.ts'
import type { RoleFacts } from './role-defaults.ts'

/** The kubelet settings of the role of a pool; or what the pool waits for; or why the templates are unusable. */
export type RoleState =
  { readonly facts: RoleFacts } | { readonly waitsFor: string } | { readonly unreadable: string }

/** Everything that determines the layers of a pool. */
export interface KubeletDefaultsFacts {
  readonly settings: PoolSettings
  /** Undefined if the pool selects the layers of a built-in pool, so it has none of its own. */
  readonly role: RoleState | undefined
  /** Kinds that were served before and are not any more. */
  readonly lost: ReadonlySet<ClusterKind>
  /** The stored MachineConfigs with the names of its layers, current and old ones. */
  readonly stored: StoredConfigs
  readonly maker: Maker
}
