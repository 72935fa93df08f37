import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { names } from '../../api/names.ts'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { ServerCertificatesResult } from './act.ts'
import type { ServerCertificatesPlan } from './decide.ts'
import type { ServerCertificatesFacts } from './facts.ts'

export type ServerCertificatesPass = Pass<
  ServerCertificatesFacts,
  ServerCertificatesPlan,
  ServerCertificatesResult
>

/** The last reported reason why no certificates are managed. */
export class SkippedCertificates {
  #why: string | undefined

  /** Whether the reason is new. */
  isNew(why: string | undefined): boolean {
    const before = this.#why
    this.#why = why
    return why !== undefined && why !== before
  }
}

/** Reports refused writes to the ClusterOperator, and in the log; a reason why nothing is managed once in the log. */
export function report(
  pass: ServerCertificatesPass,
  reports: TaskReports,
  skipped: SkippedCertificates,
  { log }: StepContext,
): void {
  if (pass.type === 'failed') return
  const { serverRotation: name } = names
  const [refusal] = pass.result.refusals
  if (refusal === undefined) reports.done('MachineConfigServer', name)
  else if (reports.failed('MachineConfigServer', name, refusal)) {
    log.info('cannot write an object of the machine config server', { why: refusal })
  }
  const { skipped: why } = pass.plan
  if (skipped.isNew(why)) {
    log.info('the certificates of the machine config server are not managed', { why })
  }
}
