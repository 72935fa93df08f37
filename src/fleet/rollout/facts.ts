import type { ControllerCertificate } from '../../api/kinds/controller-config.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { PoolHold } from '../pools/hold.ts'
import type { Newcomer } from './first-boot.ts'
import type { ImageState } from './layering.ts'
import type { NodeFacts } from './node-facts.ts'

/** Everything that a decision about one pool reads. Plain data, so that a decision can be repeated. */
export interface RolloutFacts {
  readonly pool: Readonly<MachineConfigPool>
  /** Its nodes, as last observed; the cache may be stale. */
  readonly nodes: readonly NodeFacts[]
  /** Nodes with a turn that are no longer in the pool. */
  readonly left: ReadonlySet<string>
  /** Nodes that the API server has at an older version than their turn: etcd was restored, and the turn is void. */
  readonly restored?: ReadonlySet<string>
  /** Nodes that another custom pool selects too. */
  readonly contested: readonly ContestedNode[]
  /** Why its nodeSelector is invalid. */
  readonly selectorProblem?: string
  readonly image: ImageState
  /** Another controller rendered the configs of its nodes, and the target has other content. */
  readonly hold?: PoolHold
  /** Another controller rendered the target itself and manages the pool. */
  readonly isForeignTarget?: boolean
  /** Nodes that booted into a custom pool and lack its labels, by node. */
  readonly newcomers?: ReadonlyMap<string, Newcomer>
  /** Why drains are blocked, by node. */
  readonly blockedDrains: ReadonlyMap<string, string>
  /** When nodes drifted from their config, by node, from their MachineConfigNodes. */
  readonly driftedSince?: ReadonlyMap<string, string>
  /** The node that runs the operator. */
  readonly operatorNode?: string
  /** Why this pool waits for another one: the arbiter and the control plane wait for each other. */
  readonly waitReason?: string
  /** The control plane topology, for the daemons. */
  readonly topology?: string
  readonly certificates: readonly ControllerCertificate[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface ContestedNode {
  readonly node: string
  readonly pools: readonly string[]
}
