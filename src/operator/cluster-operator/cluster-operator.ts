import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { namespaces } from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { ClusterOperatorCaches } from './inputs.ts'
import { clusterOperatorInputs } from './inputs.ts'
import type { ClusterOperatorSources } from './gather.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { ClusterOperatorPass } from './report.ts'
import { announce, report } from './report.ts'
import { clusterOperatorMetrics } from './cluster-operator-metrics.ts'
import type { OperatorRelease } from './facts.ts'
import type { TaskReports } from './tasks.ts'

export interface ClusterOperatorSettings
  extends Omit<OperatorRelease, 'namespace'>, Partial<Pick<OperatorRelease, 'namespace'>> {
  /** Failures of other controllers of this process. */
  readonly reports: TaskReports
}

/** How often to check whether the cluster serves the kind. */
const notServedMs = 60_000

/** Reports the health of the operator in ClusterOperator `machine-config`, which OpenShift's upgrades read. The key is its name. */
export function clusterOperatorController(
  context: ControllerContext,
  caches: ClusterOperatorCaches,
  { reports, ...release }: ClusterOperatorSettings,
): Controller {
  const metrics = clusterOperatorMetrics(context.metrics)
  const operator = { namespace: namespaces.operator, ...release }
  const sources: ClusterOperatorSources = { caches, reports, operator }
  return stepController(context, {
    name: 'cluster-operator',
    inputs: clusterOperatorInputs(caches, reports),
    outputs: [clusterOperators.kind],
    gather: (_key, { clock }) => gather(sources, clock),
    decide,
    announce: (plan) => announce(plan, metrics),
    act,
    report,
    next,
  })
}

function next({ plan, result }: ClusterOperatorPass & { readonly type: 'acted' }): Outcome {
  if (!result.isServed) return requeueAfter(notServedMs)
  return plan.requeueAfterMs === undefined ? settled : requeueAfter(plan.requeueAfterMs)
}
