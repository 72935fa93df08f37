import type { SecureRandom } from '@machinist/core/secure-random'
import { systemSecureRandom } from '@machinist/core/secure-random'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { ProvisioningTokenCaches } from './inputs.ts'
import { provisioningTokenInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { ProvisioningTokenPass } from './report.ts'
import { problemOf, report } from './report.ts'
import { ReportedSettings } from './reported-settings.ts'

export interface ProvisioningTokenSettings {
  /** Receives the problems that a user must solve. */
  readonly reports: TaskReports
  /** Source of tokens; cryptographically random by default. */
  readonly chance?: SecureRandom | undefined
}

/** Requeue interval while the token cannot be maintained: RBAC, namespaces or admission policies may change. */
const problemMs = 60_000

/** Creates and rotates the provisioning token of every pool. The key is the name of the pool. */
export function provisioningTokensController(
  context: ControllerContext,
  caches: ProvisioningTokenCaches,
  { reports, chance = systemSecureRandom }: ProvisioningTokenSettings,
): Controller {
  const settings = new ReportedSettings()
  return stepController(context, {
    name: 'provisioning-tokens',
    inputs: provisioningTokenInputs(caches, context.clock),
    outputs: ['Secret'],
    gather: (name, step) => gather(name, caches, step),
    decide,
    act: (plan, facts, step) => act(plan, facts, step, chance),
    report: (pass, step) => report(pass, reports, settings, step),
    next,
    forget: (name) => {
      settings.forget(name)
      reports.done('ProvisioningTokens', name)
    },
  })
}

/** After a write, the watch event causes the next reconcile, which knows when the token is due. */
function next(pass: ProvisioningTokenPass & { readonly type: 'acted' }): Outcome {
  if (problemOf(pass) !== undefined) return requeueAfter(problemMs)
  const { plan, facts } = pass
  if (plan.write.action !== 'none' || plan.write.dueAt === undefined) return settled
  return requeueAfter(Math.max(0, plan.write.dueAt - facts.now))
}
