import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import type { TaskFailure } from './tasks.ts'

/** Everything that determines the status of the ClusterOperator. */
export interface ClusterOperatorFacts {
  readonly nowMs: number
  readonly operator: OperatorRelease
  /** The ClusterOperator of this operator. */
  readonly found: Readonly<ClusterOperator> | undefined
  /** Whether the cluster serves the kind. */
  readonly isServed: boolean
  readonly kubeAPIServer: Readonly<ClusterOperator> | undefined
  /** Failures of other controllers of this process that no object reports. */
  readonly reported: readonly TaskFailure[]
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly machineConfiguration: Readonly<MachineConfiguration> | undefined
  readonly pools: readonly Readonly<MachineConfigPool>[]
  /** By name. */
  readonly machineConfigs: ReadonlyMap<string, Readonly<MachineConfig>>
  readonly nodes: readonly Readonly<Node>[]
  readonly kubeletConfigs: readonly Readonly<KubeletConfig>[]
  readonly runtimeConfigs: readonly Readonly<ContainerRuntimeConfig>[]
}

export interface OperatorRelease {
  /** The version of the release, as in the ControllerConfig: `4.16.0`. */
  readonly version: string
  /** The controller build of this release. */
  readonly build: string
  /** The image of the operator, if it is known. */
  readonly operatorImage?: string
  /** The namespace of the operator. */
  readonly namespace: string
}
