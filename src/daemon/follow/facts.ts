import type { MachineConfig } from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { Rules, StorageOverride } from '../../planner/plan-input.ts'
import type { NodeFacts } from '../../planner/update-plan.ts'
import type { Interrupted } from '../apply/update.ts'
import type { DriftPolicy } from '../drift/drift-policy.ts'
import type { OsDeployment } from '../host/host.ts'
import type { DiskState } from '../state/disk-state.ts'
import type { Difference } from '../verify/difference.ts'

/** Everything that a decision is made of. Plain data: the same facts always lead to the same decision. */
export interface Facts {
  /** Our own Node; undefined: it is not there. */
  readonly node?: NodeView
  readonly disk: DiskState
  /** What was under way when the daemon or the machine stopped. */
  readonly interrupted?: Interrupted
  /** The machine was told to reboot and has not gone down yet. */
  readonly rebooting: boolean
  /** Whether this daemon has found the machine in order once since it started. */
  readonly settled: boolean
  readonly machine: MachineFacts
  /** MachineConfigs by name, as far as they were asked for. */
  readonly configs: Readonly<Record<string, MachineConfig | 'missing'>>
  readonly rules: RulesFact
  /** How certificates come to this node; absent: as in the generation whose rules count. */
  readonly delivery?: CertificateDelivery
  /** What the last look at the disk found; absent where nobody has looked since something changed. */
  readonly checked?: Checked
  /** The attempt before this one, if it failed. */
  readonly failure?: Failure
  /** How long a drain or uncordon has been asked for in vain. */
  readonly waitedMs: number
  readonly drift: DriftPolicy
  /** Why the last boot did not bring the OS that was staged; absent: it did, or nobody knows. */
  readonly finalizationFailure?: string
}

/** Of a Node, what a decision needs. */
export interface NodeView {
  readonly name: string
  readonly uid?: string
  /** The resourceVersion that all of this was read from. */
  readonly version?: string
  readonly annotations: Readonly<Record<string, string>>
  readonly unschedulable: boolean
  readonly deleting: boolean
}

/** What does not change between two boots. */
export interface MachineFacts extends Omit<
  NodeFacts,
  'forced' | 'drains' | 'bootedImage' | 'bootedKernelArguments'
> {
  readonly booted: OsDeployment
}

export interface RulesFact {
  readonly rules: Rules
  readonly overrides?: readonly StorageOverride[]
  readonly registryDrainOverride?: true
  /** The cluster's policy is not ready: worth waiting for it this long. */
  readonly waitMs?: number
  /** What people should know about where the rules come from. */
  readonly note?: string
}

export interface Checked {
  /** The config against which the disk was compared. */
  readonly config: string
  readonly differences: readonly Difference[]
  /** It was found at the end of an update: doing that again would hardly help. */
  readonly afterUpdate?: boolean
}

export interface Failure {
  /** What was tried: see `attemptOf`. */
  readonly attempt: string
  readonly reason: string
  readonly retryInMs: number
}
