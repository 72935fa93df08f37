import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { ServerCertificatesCaches } from './inputs.ts'
import { serverCertificatesInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { ServerCertificatesPass } from './report.ts'
import { report, SkippedCertificates } from './report.ts'

export interface ServerCertificatesSettings {
  /** Receives the writes that the API server refuses. */
  readonly reports: TaskReports
}

/** Requeue interval after a refused write, or while a certificate of another owner is in use: no watch event announces a change. */
const requeueAfterMs = 60_000

/**
 * Maintains the TrustRotation of the machine config server, and the record of the CAs in the user data of pools, which the
 * rotation waits for. The key is the name of the TrustRotation.
 */
export function serverCertificatesController(
  context: ControllerContext,
  caches: ServerCertificatesCaches,
  { reports }: ServerCertificatesSettings,
): Controller {
  const skipped = new SkippedCertificates()
  return stepController(context, {
    name: 'server-certificates',
    inputs: serverCertificatesInputs(caches, context.clock),
    outputs: ['TrustRotation', 'ConfigMap'],
    gather: (_, step) => gather(caches, context.clock, step),
    decide,
    act,
    report: (pass, step) => report(pass, reports, skipped, step),
    next,
  })
}

function next({ plan, result }: ServerCertificatesPass & { readonly type: 'acted' }): Outcome {
  const isBlocked = result.refusals.length > 0 || plan.skipped !== undefined
  return isBlocked ? requeueAfter(requeueAfterMs) : settled
}
