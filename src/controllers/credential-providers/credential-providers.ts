import { Waiting } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { requeueAfterMs } from '../generated/requeue.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import type { CredentialProvidersCaches } from './inputs.ts'
import { credentialProvidersInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { CredentialProvidersPass } from './report.ts'
import { report } from './report.ts'

/** CRIOCredentialProviderConfig → `97-<pool>-generated-credentialproviderconfig`. The key is the name of the one object. */
export function credentialProvidersController(
  context: ControllerContext,
  caches: CredentialProvidersCaches,
  { maker }: GeneratorSettings,
): Controller {
  const failing = settingsFailing(context.metrics)
  return stepController(context, {
    name: 'credential-providers',
    inputs: credentialProvidersInputs(caches),
    outputs: ['MachineConfig', crioCredentialProviderConfigs.kind],
    gather: () => gather(caches, maker),
    decide,
    act,
    report: (pass, step) => report(pass, { ...step, failing }),
    next,
  })
}

function next({
  facts,
  plan,
  result: refused,
}: CredentialProvidersPass & { readonly type: 'acted' }): Outcome {
  const { waits } = plan
  if (waits.length > 0) {
    throw new Waiting(clusterSettingsReasons.noBase, waits.join('; '), requeueAfterMs)
  }
  const isUnwatched = facts.isLost || refused.some(({ why }) => why === 'refused')
  return isUnwatched ? requeueAfter(requeueAfterMs) : settled
}
