import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import type { Distribution } from '../../api/distribution.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'

/** Everything that determines the role labels of a Node. */
export interface RoleLabelsFacts {
  readonly node: Readonly<Node>
  readonly pools: readonly Readonly<MachineConfigPool>[]
  /** The config that the machine runs; undefined if the node does not report one, or it does not exist. */
  readonly config: Readonly<MachineConfig> | undefined
  /** Undefined while there is no ControllerConfig. */
  readonly distribution: Distribution | undefined
}

/** The name of the config that the machine booted with, otherwise of the one that it runs. */
export const configNameOf = ({ metadata: { annotations } }: Readonly<Node>): string | undefined =>
  annotations?.[nodeAnnotations.firstPivotConfig] ?? annotations?.[nodeAnnotations.currentConfig]
