import { clusterOperatorConditions, conditionOf } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import type { ClusterOperatorFacts, OperatorRelease } from './facts.ts'
import { failuresIn } from './failures.ts'
import type { Readiness } from './required-pools.ts'
import { requiredPools } from './required-pools.ts'
import type { OperatorHealth, OperatorVersions } from './status.ts'

export interface ClusterOperatorPlan {
  /** `notServed`: the cluster has no ClusterOperators, and only metrics report the health. */
  readonly type: 'report' | 'notServed'
  readonly health: OperatorHealth
  /** When the deadline of the pools that an upgrade waits for is over. */
  readonly requeueAfterMs?: number
}

/** Pure: the health of the operator and of the pools that an upgrade waits for. */
export function decide(facts: ClusterOperatorFacts): ClusterOperatorPlan {
  const { found, isServed, nowMs } = facts
  const required = requiredIn(facts)
  const untilMs = required.state === 'waiting' ? required.untilMs : undefined
  return {
    type: found || isServed ? 'report' : 'notServed',
    health: healthOf(facts, required),
    ...(untilMs !== undefined && { requeueAfterMs: Math.max(untilMs - nowMs, 0) }),
  }
}

function requiredIn(facts: ClusterOperatorFacts): Readiness {
  const { found, operator, controllerConfig, pools, machineConfigs, nowMs } = facts
  const { version, build } = operator
  const { progressing: type } = clusterOperatorConditions
  const progressing = conditionOf(found?.status?.conditions, type)
  const isUpgrading = progressing?.status === 'True'
  return requiredPools({
    pools,
    machineConfig: (name) => machineConfigs.get(name),
    release: { version, build, osImageURL: controllerConfig?.spec.baseOSContainerImage ?? '' },
    ...(isUpgrading && { upgradingSince: progressing.lastTransitionTime ?? undefined }),
    nowMs,
  })
}

function healthOf(facts: ClusterOperatorFacts, required: Readiness): OperatorHealth {
  const { operator, controllerConfig, machineConfiguration, reported } = facts
  const { pools, nodes, kubeAPIServer, kubeletConfigs, runtimeConfigs } = facts
  return {
    namespace: operator.namespace,
    versions: versionsOf(operator),
    failures: failuresIn({ controllerConfig, machineConfiguration, required, reported }),
    waitsFor: waitsFor(controllerConfig !== undefined, required),
    pools,
    nodes,
    kubeAPIServer,
    kubeletConfigs,
    runtimeConfigs,
  }
}

function versionsOf({ version, operatorImage }: OperatorRelease): OperatorVersions {
  return [
    { name: 'operator', version },
    ...(operatorImage ? [{ name: 'operator-image', version: operatorImage }] : []),
  ]
}

function waitsFor(isConfigured: boolean, required: Readiness): string | undefined {
  if (!isConfigured) return `ControllerConfig ${names.controllerConfig} does not exist yet`
  return required.state === 'waiting' ? required.message : undefined
}
