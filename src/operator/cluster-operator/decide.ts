import type { ConditionReport } from '../../api/conditions.ts'
import {
  clusterOperatorConditions as types,
  isCondition,
  poolConditions,
  setCondition,
  longestMessage,
} from '../../api/conditions.ts'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { operatorReasons, taskFailed } from '../../api/reasons.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfigPool,
} from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { Condition } from '@machinist/core/resource'
import type { Node } from '@machinist/kube/kinds/core'
import { evaluations } from './evaluations.ts'
import { kubeletSkew } from './kubelet-skew.ts'
import { poolText } from './pool-text.ts'
import { relatedObjects } from './related-objects.ts'
import type { Failure } from './tasks.ts'

export type Versions = NonNullable<ClusterOperatorStatus['versions']>

/** All that is known when the ClusterOperator is to be told how we are. */
export interface Facts {
  /** Where we run. */
  readonly namespace: string
  /** Of this operator: `operator`, and `operator-image` where it is known. */
  readonly versions: Versions
  /** In the order of tasks. */
  readonly failures: readonly Failure[]
  /** What this release still waits for, if for anything. */
  readonly waitsFor: string | undefined
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly nodes: readonly Readonly<Node>[]
  readonly kubeAPIServer: Readonly<ClusterOperator> | undefined
  readonly kubeletConfigs: readonly Readonly<KubeletConfig>[]
  readonly runtimeConfigs: readonly Readonly<ContainerRuntimeConfig>[]
}

/** Pure: the status to show, given what it shows now. `now` is the time of what changes. */
export function statusFor(
  found: ClusterOperatorStatus | undefined,
  facts: Facts,
  now: string,
): ClusterOperatorStatus {
  const state = stateOf(found, facts)
  let conditions: readonly Condition[] = found?.conditions ?? []
  for (const report of [
    available(state),
    progressing(state),
    degraded(state),
    upgradeable(facts),
    evaluationsDetected(facts),
  ]) {
    conditions = setCondition(conditions, report, now)
  }
  return {
    ...found,
    conditions: [...conditions],
    versions: [...state.shown],
    relatedObjects: relatedObjects(facts.namespace),
    extension: extensionOf(facts),
  }
}

/** As Go prints it, which people and programs know: `[{operator 4.16.0}]`. */
export function versionsText(versions: Versions): string {
  return `[${versions.map(({ name, version }) => `{${name} ${version}}`).join(' ')}]`
}

interface State {
  readonly version: string
  readonly failure: Failure | undefined
  /** Whether the status tells our versions before anything is done. */
  readonly isSameVersion: boolean
  /** Whether it has never been available. */
  readonly isBringUp: boolean
  /** Whether nothing fails and nothing is waited for. */
  readonly isDone: boolean
  /** The versions to show: ours as soon as all is done, or from the start of a new cluster. */
  readonly shown: Versions
}

function stateOf(found: ClusterOperatorStatus | undefined, facts: Facts): State {
  const [failure] = facts.failures
  const isDone = failure === undefined && facts.waitsFor === undefined
  const told = found?.versions ?? []
  const before = told.length > 0 ? told : facts.versions
  return {
    version: facts.versions.find(({ name }) => name === 'operator')?.version ?? '',
    failure,
    isSameVersion: sameJson(before, facts.versions),
    isBringUp: !isCondition(found?.conditions, types.available),
    isDone,
    shown: isDone ? facts.versions : before,
  }
}

/** Once available, always: nothing that goes wrong here takes a node out of service, so nobody is to be woken at night. */
function available({ isBringUp, isDone, shown }: State): ConditionReport {
  if (isBringUp && !isDone) return { type: types.available, status: 'False' }
  const message = `Cluster has deployed ${versionsText(shown)}`
  return { type: types.available, status: 'True', reason: operatorReasons.asExpected, message }
}

/** A rollout of configuration alone is not told: upgrades would wait for it. */
function progressing(state: State): ConditionReport {
  const { version, failure, isSameVersion, isBringUp, isDone } = state
  const says = (status: 'True' | 'False', message: string): ConditionReport => ({
    type: types.progressing,
    status,
    message,
  })
  const isUnderWay = !isDone && (!isSameVersion || isBringUp)
  if (failure && isUnderWay) return says('True', `Unable to apply ${version}`)
  if (failure) return says('False', `Error while reconciling ${version}`)
  if (!isUnderWay) return says('False', `Cluster version is ${version}`)
  return says(
    'True',
    `${isSameVersion ? 'Cluster is bootstrapping' : 'Working towards'} ${version}`,
  )
}

function degraded({ version, failure, isSameVersion }: State): ConditionReport {
  if (!failure) return { type: types.degraded, status: 'False' }
  const message = isSameVersion
    ? `Failed to resync ${version} because: ${failure.message}`
    : `Unable to apply ${version}: ${failure.message}`
  return {
    type: types.degraded,
    status: 'True',
    reason: taskFailed(failure.task),
    message: message.slice(0, longestMessage),
  }
}

function upgradeable({ pools, nodes, kubeAPIServer }: Facts): ConditionReport {
  const says = (
    status: Condition['status'],
    reason: string,
    message?: string,
  ): ConditionReport => ({
    type: types.upgradeable,
    status,
    reason,
    ...(message !== undefined && { message }),
  })
  if (pools.length === 0) return says('Unknown', operatorReasons.noData)
  const broken = namesWith(pools, poolConditions.degraded)
  if (broken.length > 0) {
    const message = `degraded MachineConfigPools: ${broken.join(', ')}; see \`kubectl describe machineconfigpool\` and mend them before upgrading`
    return says('False', operatorReasons.degradedPool, message)
  }
  const interrupted = namesWith(pools, poolConditions.buildInterrupted)
  if (interrupted.length > 0) {
    const message = `MachineConfigPools whose image builds were interrupted: ${interrupted.join(', ')}; see \`kubectl get machineosbuild\` and let them finish before upgrading`
    return says('False', operatorReasons.interruptedBuild, message)
  }
  const skew = kubeletSkew(kubeAPIServer, pools, nodes)
  if (skew) return says('True', skew.reason, skew.message)
  return says('True', operatorReasons.asExpected)
}

function namesWith(pools: readonly Readonly<MachineConfigPool>[], type: string): string[] {
  return pools
    .filter(({ status }) => isCondition(status?.conditions, type))
    .map(({ metadata }) => metadata.name)
    .toSorted()
}

function evaluationsDetected({ kubeletConfigs, runtimeConfigs }: Facts): ConditionReport {
  const found = evaluations(kubeletConfigs, runtimeConfigs)
  return {
    type: types.evaluationConditionsDetected,
    status: found === undefined ? 'False' : 'True',
    reason: found ?? operatorReasons.asExpected,
  }
}

/** One text per pool, and what the last look at everything stumbled over. */
function extensionOf({ pools, failures, waitsFor }: Facts): Record<string, string> {
  const texts = pools
    .map((pool) => [pool.metadata.name, poolText(pool).slice(0, longestMessage)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const lastSyncError = failures[0]?.message ?? waitsFor
  return {
    ...Object.fromEntries(texts),
    ...(lastSyncError !== undefined && { lastSyncError: lastSyncError.slice(0, longestMessage) }),
  }
}
