import type { ClusterDisruptionPolicies } from '../../api/kinds/node-disruption-policy.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { ChangeKind, NodeFacts } from './update-plan.ts'

export interface PlanInput {
  /** The current config of the node; undefined if it has none yet. `osImageURL` of both configs includes a layered image. */
  readonly current: MachineConfig | undefined
  readonly desired: MachineConfig
  readonly rules: PlanRules
  readonly facts: NodeFacts
  /** How certificates are delivered to the node. Defaults to the delivery of the release whose rules apply. */
  readonly delivery?: CertificateDelivery
  /** Storage sections that may differ although the change cannot be applied to the node. */
  readonly overrides?: readonly StorageOverride[]
  readonly provenance?: Provenance
  /** Whether `osImageURL` of `desired` is an image that was built for the pool. */
  readonly isLayered?: boolean
  /** `note`: changes that the OS driver cannot apply do not make the plan unreconcilable; they are reported elsewhere. */
  readonly osLimits?: 'refuse' | 'note'
  /** Whether the administrator disabled drains for changes of registries.conf. Ignored by the rules of 4.12. */
  readonly registryDrainOverride?: boolean
}

/** The rules for actions and rejected changes: the built-in tables of a release, or the policies of the cluster. */
export type PlanRules = '4.12' | '4.16' | { readonly policies: ClusterDisruptionPolicies }

export type StorageOverride = 'Disks' | 'FileSystems' | 'Raid'

/** The MachineConfig of each value: by kind, then by path or name; the empty key for kinds of which a node has only one. */
export type Provenance = Readonly<Partial<Record<ChangeKind, Readonly<Record<string, string>>>>>
