import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain, stepController } from '@machinist/kube/controller/step-controller'
import type { RequestCaches } from './inputs.ts'
import { requestInputs } from './inputs.ts'
import { countRequests, gather } from './gather.ts'
import { decide, tooMany } from './decide.ts'
import { act } from './act.ts'
import type { RequestPass } from './report.ts'
import { report } from './report.ts'
import { AccessReviews } from './access-review.ts'
import { retryMs } from './refusal-timing.ts'
import { RequestRegister } from './register.ts'
import { RequestReporter } from './request-reporter.ts'

/** Approves certificate requests of kubelets that pass every check. The key is the name of a request. */
export function requestsController(context: ControllerContext, caches: RequestCaches): Controller {
  const { clock, events, metrics } = context
  const register = new RequestRegister()
  const reviews = new AccessReviews()
  const reporter = new RequestReporter(events, metrics)
  return stepController(context, {
    name: 'certificate-requests',
    inputs: requestInputs(caches, register),
    outputs: ['CertificateSigningRequest'],
    gather: (name) => gather(name, { caches, register, reviews }, clock.now()),
    decide,
    act: (plan, facts, step) => act(plan, facts, step, reviews),
    report: (pass, step) => report(pass, step, reporter),
    next,
    forget: (name) => {
      if (!tooMany(countRequests({ caches, register }, clock.now()))) reporter.endFlood()
      reporter.forget(name)
    },
  })
}

function next({ facts, result }: RequestPass & { readonly type: 'acted' }): PassOutcome {
  // The caches may have changed during the review.
  if (result.type === 'reviewed') return decideAgain
  const ms = result.type === 'left' ? retryMs(result.refusal, facts) : undefined
  return ms === undefined ? settled : requeueAfter(ms)
}
