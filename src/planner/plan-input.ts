import type { ClusterDisruptionPolicies } from '../api/kinds/node-disruption-policy.ts'
import type { MachineConfig } from '../api/resources.ts'
import type { CertificateDelivery } from '../api/trust/items.ts'
import type { ChangeKind, NodeFacts } from './update-plan.ts'

export interface PlanInput {
  /** What the node is in; undefined: nothing yet. A layered image, where there is one, stands in `osImageURL` of both. */
  readonly current: MachineConfig | undefined
  readonly desired: MachineConfig
  readonly rules: Rules
  readonly facts: NodeFacts
  /** How certificates come to the node; unless said, as in the generation whose rules count. */
  readonly delivery?: CertificateDelivery
  /** Parts of the storage section that may differ although the node cannot take them over. */
  readonly overrides?: readonly StorageOverride[]
  readonly provenance?: Provenance
  /** `osImageURL` of `desired` is an image that was built for the pool. */
  readonly isLayered?: boolean
  /** `note`: what the machine's OS cannot change is no reason against the plan, because it is reported elsewhere. */
  readonly osLimits?: 'refuse' | 'note'
  /** The cluster's administrator wants no drain for registries.conf, whatever changes in it. 4.12 does not know of it. */
  readonly registryDrainOverride?: boolean
}

/** What decides about actions, and what a node refuses: a generation's built-in tables, or the cluster's policies. */
export type Rules = '4.12' | '4.16' | { readonly policies: ClusterDisruptionPolicies }

export type StorageOverride = 'Disks' | 'FileSystems' | 'Raid'

/** Which MachineConfig brought what: by kind, then by path or name; by the empty text for what a node has only one of. */
export type Provenance = Readonly<Partial<Record<ChangeKind, Readonly<Record<string, string>>>>>
