import { names } from '../../api/names.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import { Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client'
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
import { reportsOf } from './reports.ts'
import { tell } from './tell.ts'

export interface CredentialProvidersOptions {
  readonly client: KubeClient
  readonly caches: CredentialProvidersCaches
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly maker: Maker
}

/** What nobody tells of is looked at this often: what the server refuses, or serves no longer. */
const unfollowedMs = 60_000
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
    // To take what is no longer seen for removed would restart the kubelet of every node.
    log.info('the API server no longer serves a kind, so all stays as it is', { kind })
    failing.set(series, 1)
    return requeueAfter(unfollowedMs)
  }
  const object = objectIn(caches)
  const plan = decide(gather(object, options))
  const refused = await act(plan, object, { ...options, ...caches, signal })
  const problems = [...plan.problems, ...refused.map(({ message }) => message)]
  const { leftOut, waits, specs, held } = plan
  const isFailing = problems.length + leftOut.length > 0
  const isWaiting = waits.length > 0
  if (!object) failing.forget(series)
  else {
    if (!isWaiting || isFailing) failing.set(series, isFailing ? 1 : 0)
    const verdict = { leftOut, problems, isMade: specs.size + held.length > 0, isWaiting }
    await tell(object, reportsOf(verdict, object.metadata.generation), { ...options, signal })
    for (const why of problems) log.info('settings cannot be used', { kind, why })
  }
  if (isWaiting) {
    throw new Waiting(clusterSettingsReasons.noBase, waits.join('; '), unfollowedMs)
  }
  return refused.some(({ why }) => why === 'refused') ? requeueAfter(unfollowedMs) : settled
}
