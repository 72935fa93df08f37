import type { MachineConfig } from '../../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../../api/trust/items.ts'
import type { PlanRules, StorageOverride } from '../../../planner/model/plan-input.ts'
import type { NodeFacts } from '../../../planner/model/update-plan.ts'
import type { InterruptedUpdate } from '../../apply/update.ts'
import type { DriftPolicy } from '../../drift/drift-policy.ts'
import type { OsDeployment } from '../../host/host.ts'
import type { NodeView } from '../../node/node-view.ts'
import type { DiskState } from '../../state/disk-state.ts'
import type { Difference } from '../../verify/difference.ts'

/** Everything that a decision reads. Plain data: the same facts always lead to the same decision. */
export interface FollowFacts {
  /** The daemon's own Node; absent: it does not exist. */
  readonly node?: NodeView
  readonly disk: DiskState
  /** The update that the daemon or the machine stopped in. */
  readonly interrupted?: InterruptedUpdate
  /** A reboot was requested and the machine is still up. */
  readonly rebooting: boolean
  /** Whether the node was Done at least once since this daemon started. */
  readonly settled: boolean
  readonly machine: MachineFacts
  /** MachineConfigs by name, as far as they were requested. */
  readonly configs: Readonly<Record<string, MachineConfig | 'missing'>>
  readonly rules: RuleFacts
  /** How certificates are delivered to this node; absent: as the rules of the MCO release specify. */
  readonly delivery?: CertificateDelivery
  /** Result of the last verification of the disk; absent if a change has invalidated it. */
  readonly checked?: CheckedDisk
  /** The previous attempt, if it failed. */
  readonly failure?: FailedAttempt
  /** How long a drain or uncordon has been pending. */
  readonly waitedMs: number
  readonly drift: DriftPolicy
  /** Why the last boot did not start the staged OS; absent: it did, or the cause is unknown. */
  readonly finalizationFailure?: string
}

/** Facts that stay the same between two boots. */
export interface MachineFacts extends Omit<
  NodeFacts,
  'forced' | 'drains' | 'bootedImage' | 'bootedKernelArguments'
> {
  readonly booted: OsDeployment
}

export interface RuleFacts {
  readonly rules: PlanRules
  readonly overrides?: readonly StorageOverride[]
  readonly registryDrainOverride?: true
  /** The cluster's policy is not ready: how long to wait before the next read. */
  readonly waitMs?: number
  /** Where the rules come from, for users, if it is not the up-to-date policy. */
  readonly note?: string
}

export interface CheckedDisk {
  /** The config that the disk was compared with. */
  readonly config: string
  readonly differences: readonly Difference[]
  /** Found at the end of an update: the same update is unlikely to repair it. */
  readonly afterUpdate?: boolean
}

export interface FailedAttempt {
  /** The key of the attempt, see `attemptOf`. */
  readonly attempt: string
  readonly reason: string
  readonly retryInMs: number
}
