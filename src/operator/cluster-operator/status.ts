import { sameJson } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import type { Node } from '@machinist/kube/kinds/core'
import type { ConditionReport } from '../../api/conditions.ts'
import {
  clusterOperatorConditions as types,
  isCondition,
  poolConditions,
  setCondition,
  maxMessageLength,
} from '../../api/conditions.ts'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { operatorReasons, taskFailed } from '../../api/reasons.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { detectEvaluations } from './evaluations.ts'
import { kubeletSkew } from './kubelet-skew.ts'
import { poolText } from './pool-text.ts'
import { relatedObjects } from './related-objects.ts'
import type { TaskFailure } from './tasks.ts'

export type OperatorVersions = NonNullable<ClusterOperatorStatus['versions']>

/** The state of the operator and of the pools that the status reports. */
export interface OperatorHealth {
  /** The namespace of the operator. */
  readonly namespace: string
  /** The versions of this operator: `operator`, and `operator-image` if it is known. */
  readonly versions: OperatorVersions
  /** In the order of `tasks`. */
  readonly failures: readonly TaskFailure[]
  /** What this release still waits for, if anything. */
  readonly waitsFor: string | undefined
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly nodes: readonly Readonly<Node>[]
  readonly kubeAPIServer: Readonly<ClusterOperator> | undefined
  readonly kubeletConfigs: readonly Readonly<KubeletConfig>[]
  readonly runtimeConfigs: readonly Readonly<ContainerRuntimeConfig>[]
}

/** Pure: the new status, given the current one. `now` is the time of transitions. */
export function statusFor(
  found: ClusterOperatorStatus | undefined,
  health: OperatorHealth,
  now: string,
): ClusterOperatorStatus {
  const state = stateOf(found, health)
  let conditions: readonly Condition[] = found?.conditions ?? []
  for (const report of [
    available(state),
    progressing(state),
    degraded(state),
    upgradeable(health),
    evaluationsDetected(health),
  ]) {
    conditions = setCondition(conditions, report, now)
  }
  return {
    ...found,
    conditions: [...conditions],
    versions: [...state.reported],
    relatedObjects: relatedObjects(health.namespace),
    extension: extensionOf(health),
  }
}

/** In the format of Go, as in MCO: `[{operator 4.16.0}]`. */
export function versionsText(versions: OperatorVersions): string {
  return `[${versions.map(({ name, version }) => `{${name} ${version}}`).join(' ')}]`
}

interface OperatorState {
  readonly version: string
  readonly failure: TaskFailure | undefined
  /** Whether the status already has the versions of this operator. */
  readonly isSameVersion: boolean
  /** Whether the operator has never been available. */
  readonly isBringUp: boolean
  /** Whether no task fails or waits. */
  readonly isDone: boolean
  /** The versions to report: those of this operator when it is done, or from the start in a new cluster. */
  readonly reported: OperatorVersions
}

function stateOf(found: ClusterOperatorStatus | undefined, health: OperatorHealth): OperatorState {
  const [failure] = health.failures
  const isDone = failure === undefined && health.waitsFor === undefined
  const current = found?.versions ?? []
  const before = current.length > 0 ? current : health.versions
  return {
    version: health.versions.find(({ name }) => name === 'operator')?.version ?? '',
    failure,
    isSameVersion: sameJson(before, health.versions),
    isBringUp: !isCondition(found?.conditions, types.available),
    isDone,
    reported: isDone ? health.versions : before,
  }
}

/** Once True, it stays True: no failure here takes a node out of service, so it must not page an administrator. */
function available({ isBringUp, isDone, reported }: OperatorState): ConditionReport {
  if (isBringUp && !isDone) return { type: types.available, status: 'False' }
  const message = `Cluster has deployed ${versionsText(reported)}`
  return { type: types.available, status: 'True', reason: operatorReasons.asExpected, message }
}

/** A rollout of configuration does not count as progress: upgrades would wait for it. */
function progressing(state: OperatorState): ConditionReport {
  const { version, failure, isSameVersion, isBringUp, isDone } = state
  const condition = (status: 'True' | 'False', message: string): ConditionReport => ({
    type: types.progressing,
    status,
    message,
  })
  const isUnderWay = !isDone && (!isSameVersion || isBringUp)
  if (failure && isUnderWay) return condition('True', `Unable to apply ${version}`)
  if (failure) return condition('False', `Error while reconciling ${version}`)
  if (!isUnderWay) return condition('False', `Cluster version is ${version}`)
  return condition(
    'True',
    `${isSameVersion ? 'Cluster is bootstrapping' : 'Working towards'} ${version}`,
  )
}

function degraded({ version, failure, isSameVersion }: OperatorState): ConditionReport {
  if (!failure) return { type: types.degraded, status: 'False' }
  const message = isSameVersion
    ? `Failed to resync ${version} because: ${failure.message}`
    : `Unable to apply ${version}: ${failure.message}`
  return {
    type: types.degraded,
    status: 'True',
    reason: taskFailed(failure.task),
    message: message.slice(0, maxMessageLength),
  }
}

function upgradeable({ pools, nodes, kubeAPIServer }: OperatorHealth): ConditionReport {
  const condition = (
    status: Condition['status'],
    reason: string,
    message?: string,
  ): ConditionReport => ({
    type: types.upgradeable,
    status,
    reason,
    ...(message !== undefined && { message }),
  })
  if (pools.length === 0) return condition('Unknown', operatorReasons.noData)
  const degradedPools = namesWith(pools, poolConditions.degraded)
  if (degradedPools.length > 0) {
    const message = `degraded MachineConfigPools: ${degradedPools.join(', ')}; run \`kubectl describe machineconfigpool\` and repair them before upgrading`
    return condition('False', operatorReasons.degradedPool, message)
  }
  const interrupted = namesWith(pools, poolConditions.buildInterrupted)
  if (interrupted.length > 0) {
    const message = `MachineConfigPools with interrupted image builds: ${interrupted.join(', ')}; run \`kubectl get machineosbuild\` and wait for the builds before upgrading`
    return condition('False', operatorReasons.interruptedBuild, message)
  }
  const skew = kubeletSkew(kubeAPIServer, pools, nodes)
  if (skew) return condition('True', skew.reason, skew.message)
  return condition('True', operatorReasons.asExpected)
}

function namesWith(pools: readonly Readonly<MachineConfigPool>[], type: string): string[] {
  return pools
    .filter(({ status }) => isCondition(status?.conditions, type))
    .map(({ metadata }) => metadata.name)
    .toSorted()
}

function evaluationsDetected({ kubeletConfigs, runtimeConfigs }: OperatorHealth): ConditionReport {
  const found = detectEvaluations(kubeletConfigs, runtimeConfigs)
  return {
    type: types.evaluationConditionsDetected,
    status: found === undefined ? 'False' : 'True',
    reason: found ?? operatorReasons.asExpected,
  }
}

/** One line per pool, and the last error. */
function extensionOf({ pools, failures, waitsFor }: OperatorHealth): Record<string, string> {
  const texts = pools
    .map((pool) => [pool.metadata.name, poolText(pool).slice(0, maxMessageLength)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const lastSyncError = failures[0]?.message ?? waitsFor
  return {
    ...Object.fromEntries(texts),
    ...(lastSyncError !== undefined && { lastSyncError: lastSyncError.slice(0, maxMessageLength) }),
  }
}
