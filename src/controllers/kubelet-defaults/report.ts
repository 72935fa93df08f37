import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, kubeletDefaultsDegraded, maxMessageLength } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { apiServers, featureGates, nodeConfigs } from '../../api/openshift-config.ts'
import { actionProhibited, clusterSettingsReasons, settingsEvents } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isNotFound } from '@machinist/kube/failure'
import type { StoreProblem } from '../generated/store.ts'
import type { SharedCache } from '../render/caches.ts'
import { writePoolConditions } from '../render/pool-conditions.ts'
import type { DefaultsProblem, KubeletDefaults } from './decide.ts'
import type { DefaultsCaches } from './gather.ts'

/** A problem that a user must solve. */
export interface ReportedProblem {
  readonly reason: string
  readonly message: string
  /** The invalid setting of the cluster, if that is the cause. */
  readonly source?: DefaultsProblem
}

export interface DefaultsReportOptions {
  readonly client: KubeClient
  readonly caches: Pick<DefaultsCaches, 'nodeConfigs' | 'featureGates' | 'apiServers'>
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

export function problemsToReport(
  defaults: KubeletDefaults | { readonly unreadable: string },
  refused: readonly StoreProblem[],
): ReportedProblem[] {
  const { badKubeletDefaults, noBase } = clusterSettingsReasons
  if ('unreadable' in defaults) return [{ reason: noBase, message: defaults.unreadable }]
  return [
    ...defaults.problems.map((source) => ({
      reason: badKubeletDefaults,
      message: `${source.kind} ${names.clusterConfig}: ${source.message}`,
      source,
    })),
    ...refused.map(({ why, message }) => ({ reason: clusterSettingsReasons[why], message })),
  ]
}

/** Sets a condition on a pool with a problem, past or present, and emits events on the causing objects when it changes. */
export async function reportDefaults(
  pool: Readonly<MachineConfigPool>,
  problems: readonly ReportedProblem[],
  options: DefaultsReportOptions,
): Promise<void> {
  const before = conditionOf(pool.status?.conditions, kubeletDefaultsDegraded)
  if (!before && problems.length === 0) return
  const report = degradedCondition(problems)
  try {
    await writePoolConditions(pool, [report], options.client, options.signal)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (before?.status === report.status && before.message === report.message) return
  for (const { message, source } of problems) {
    const about = source && causeOf(source, options)
    const reason = source?.isProhibited ? actionProhibited : settingsEvents.settingsFailed
    if (about) options.events.warning(about, reason, message)
  }
}

function degradedCondition(problems: readonly ReportedProblem[]): ConditionReport {
  const type = kubeletDefaultsDegraded
  const [first] = problems
  if (!first) {
    return { type, status: 'False', reason: clusterSettingsReasons.asExpected, message: '' }
  }
  const all = problems.map((problem) => problem.message).join('; ')
  const message = `${all}; nodes keep the last valid values`
  return { type, status: 'True', reason: first.reason, message: message.slice(0, maxMessageLength) }
}

function causeOf(
  { kind }: DefaultsProblem,
  { caches }: DefaultsReportOptions,
): ReturnType<typeof referenceTo> | undefined {
  const find = <T extends KubeObject>(resource: Resource<T>, cache: SharedCache<T>) => {
    const object = cache.get(names.clusterConfig)
    return object && referenceTo(resource, object)
  }
  if (kind === 'Node') return find(nodeConfigs, caches.nodeConfigs)
  if (kind === 'APIServer') return find(apiServers, caches.apiServers)
  return find(featureGates, caches.featureGates)
}
