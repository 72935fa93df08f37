import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, kubeletDefaultsDegraded, longestMessage } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { apiServers, featureGates, nodeConfigs } from '../../api/openshift-config.ts'
import { actionProhibited, clusterSettingsReasons, settingsEvents } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isNotFound } from '@machinist/kube/failure'
import type { StoreProblem } from '../generated/store.ts'
import type { Cache } from '../render/caches.ts'
import { showConditions } from '../render/pool-condition.ts'
import type { DefaultsProblem, KubeletDefaults } from './decide.ts'
import type { DefaultsCaches } from './gather.ts'

/** Something that a person has to mend. */
export interface Trouble {
  readonly reason: string
  readonly message: string
  /** What the cluster says that cannot be used, where it is that. */
  readonly source?: DefaultsProblem
}

export interface TellOptions {
  readonly client: KubeClient
  readonly caches: Pick<DefaultsCaches, 'nodeConfigs' | 'featureGates' | 'apiServers'>
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

export function troublesOf(
  defaults: KubeletDefaults | { readonly unreadable: string },
  refused: readonly StoreProblem[],
): Trouble[] {
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

/** One condition on the pool, written once it ever held; an event on what is the cause when it is new. */
export async function tell(
  pool: Readonly<MachineConfigPool>,
  troubles: readonly Trouble[],
  options: TellOptions,
): Promise<void> {
  const before = conditionOf(pool.status?.conditions, kubeletDefaultsDegraded)
  if (!before && troubles.length === 0) return
  const report = reportOf(troubles)
  try {
    await showConditions(pool, [report], options.client, options.signal)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (before?.status === report.status && before.message === report.message) return
  for (const { message, source } of troubles) {
    const about = source && aboutOf(source, options)
    const reason = source?.isProhibited ? actionProhibited : settingsEvents.settingsFailed
    if (about) options.events.warning(about, reason, message)
  }
}

function reportOf(troubles: readonly Trouble[]): ConditionReport {
  const type = kubeletDefaultsDegraded
  const [first] = troubles
  if (!first) {
    return { type, status: 'False', reason: clusterSettingsReasons.asExpected, message: '' }
  }
  const message = `${troubles.map((one) => one.message).join('; ')}; what was good before stays`
  return { type, status: 'True', reason: first.reason, message: message.slice(0, longestMessage) }
}

function aboutOf(
  { kind }: DefaultsProblem,
  { caches }: TellOptions,
): ReturnType<typeof referenceTo> | undefined {
  const find = <T extends KubeObject>(place: Resource<T>, cache: Cache<T>) => {
    const object = cache.get(names.clusterConfig)
    return object && referenceTo(place, object)
  }
  if (kind === 'Node') return find(nodeConfigs, caches.nodeConfigs)
  if (kind === 'APIServer') return find(apiServers, caches.apiServers)
  return find(featureGates, caches.featureGates)
}
