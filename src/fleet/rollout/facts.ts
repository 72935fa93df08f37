import type { ControllerCertificate } from '../../api/kinds/controller-config.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { Hold } from '../pools/hold.ts'
import type { Newcomer } from './first-boot.ts'
import type { ImageState } from './layering.ts'
import type { NodeFacts } from './node-facts.ts'

/** Everything that a decision about one pool rests on. Plain data: a decision can be repeated from it. */
export interface RolloutFacts {
  readonly pool: Readonly<MachineConfigPool>
  /** Its nodes, as they were last seen; the picture may be old. */
  readonly nodes: readonly NodeFacts[]
  /** Nodes of its turns that are in no pool of this name any more. */
  readonly left: ReadonlySet<string>
  /** Nodes of its turns that the server has at an older version than the turn: etcd was restored, the turn is void. */
  readonly restored?: ReadonlySet<string>
  /** Nodes that its selector matches and that another custom pool wants too. */
  readonly contested: readonly Contest[]
  /** Why its selector cannot be used. */
  readonly selectorProblem?: string
  readonly image: ImageState
  /** Another controller rendered what its nodes are in, and the target differs in content. */
  readonly hold?: Hold
  /** Another controller rendered the target itself: the pool is that controller's. */
  readonly isTheirs?: boolean
  /** Nodes that booted into a custom pool and do not have its labels yet, by node. */
  readonly newcomers?: ReadonlyMap<string, Newcomer>
  /** What the drain says about nodes that it cannot drain, by node. */
  readonly drains: ReadonlyMap<string, string>
  /** Since when nodes differ from their configuration, by node, as their MachineConfigNodes say. */
  readonly driftedSince?: ReadonlyMap<string, string>
  /** The node that runs the operator itself. */
  readonly operatorNode?: string
  /** Why this pool has to wait for another one (the arbiter for the control plane, and the other way round). */
  readonly behind?: string
  /** The topology of the control plane, for the daemons. */
  readonly topology?: string
  readonly certificates: readonly ControllerCertificate[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Contest {
  readonly node: string
  readonly pools: readonly string[]
}
