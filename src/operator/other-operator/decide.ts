import { describeOtherOperator, otherOperatorOf } from '../../api/maker.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { OtherOperatorFacts } from './facts.ts'

export type OtherOperatorPlan =
  | { readonly type: 'own' }
  /** The cluster is left to another operator. */
  | {
      readonly type: 'other'
      readonly build: string
      readonly controllerConfig: Readonly<ControllerConfig>
      readonly message: string
    }

/** Pure: whether another operator wrote the ControllerConfig. */
export function decide({ controllerConfig }: OtherOperatorFacts): OtherOperatorPlan {
  const build = otherOperatorOf(controllerConfig)
  if (!controllerConfig || build === undefined) return { type: 'own' }
  return { type: 'other', build, controllerConfig, message: messageFor(controllerConfig) }
}

function messageFor(controllerConfig: Readonly<ControllerConfig>): string {
  const { name } = controllerConfig.metadata
  return `ControllerConfig ${name} was written by ${describeOtherOperator(controllerConfig)}: Machinist writes neither it, pools, user data, MachineConfiguration, ClusterOperator nor nodes. To leave the cluster to that operator, stop Machinist; see docs/install.md, "Clusters that MCO runs"`
}
