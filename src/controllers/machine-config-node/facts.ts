import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'

/** Everything that determines the MachineConfigNode of a node. */
export interface MachineConfigNodeFacts {
  /** The name of both. */
  readonly name: string
  /** Undefined if the API server has no such node. */
  readonly node: Readonly<Node> | undefined
  /** The pool that configures the node. */
  readonly pool: string | undefined
  readonly found: Readonly<MachineConfigNode> | undefined
}
