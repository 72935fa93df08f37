import { names } from '../../api/names.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import { Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Maker } from '../../fleet/render/maker.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import type { CredentialProvidersCaches } from './gather.ts'
import { gather, objectIn } from './gather.ts'
import { inputsOf } from './inputs.ts'
import { conditionsFor } from './conditions.ts'
import { reportConditions } from './report.ts'

export interface CredentialProvidersOptions {
  readonly client: KubeClient
  readonly caches: CredentialProvidersCaches
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly maker: Maker
}

/** Requeue interval for causes that no watch event announces: a rejected write, a kind that is no longer served. */
const requeueAfterMs = 60_000
const { kind } = crioCredentialProviderConfigs
const series = { kind, name: names.clusterConfig }

/** CRIOCredentialProviderConfig → `97-<pool>-generated-credentialproviderconfig`. The key is the name of the one object. */
export function credentialProvidersController(options: CredentialProvidersOptions): Controller {
  const failing = settingsFailing(options.metrics)
  return {
    name: 'credential-providers',
    inputs: inputsOf(options.caches, names.clusterConfig),
    outputs: ['MachineConfig', kind],
    reconcile: (_key, context) => reconcile(context, options, failing),
  }
}

async function reconcile(
  { log, signal }: ReconcileContext,
  options: CredentialProvidersOptions,
  failing: SettingsFailing,
): Promise<Outcome> {
  const { caches } = options
  if (caches.lostKinds().includes(crioCredentialProviderConfigs)) {
    // Treating the object as deleted would restart the kubelet of every node.
    log.info('the API server no longer serves a kind, keeping the last settings', { kind })
    failing.set(series, 1)
    return requeueAfter(requeueAfterMs)
  }
  const object = objectIn(caches)
  const plan = decide(gather(object, options))
  const refused = await act(plan, object, { ...options, ...caches, signal })
  const problems = [...plan.problems, ...refused.map(({ message }) => message)]
  const { skipped, waits, specs, held } = plan
  const isFailing = problems.length + skipped.length > 0
  const isWaiting = waits.length > 0
  if (!object) failing.forget(series)
  else {
    if (!isWaiting || isFailing) failing.set(series, isFailing ? 1 : 0)
    const isRendered = specs.size + held.length > 0
    const result = { skipped, problems, isRendered, isWaiting }
    const conditions = conditionsFor(result, object.metadata.generation)
    await reportConditions(object, conditions, { ...options, signal })
    for (const why of problems) log.info('cannot apply settings', { kind, why })
  }
  if (isWaiting) {
    throw new Waiting(clusterSettingsReasons.noBase, waits.join('; '), requeueAfterMs)
  }
  return refused.some(({ why }) => why === 'refused') ? requeueAfter(requeueAfterMs) : settled
}
