import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { InputReporter } from '../inputs/report-inputs.ts'
import type { ClusterFactsPlan } from './decide.ts'
import type { ClusterFacts } from './facts.ts'

export type ClusterFactsPass = Pass<
  ClusterFacts,
  ClusterFactsPlan,
  Readonly<ControllerConfig> | undefined
>

/** Reports every input on the ControllerConfig, also if its fields could not be written. */
export async function report(
  pass: ClusterFactsPass,
  reporter: InputReporter,
  step: StepContext,
): Promise<void> {
  const { facts, plan } = pass
  if (plan.type === 'wait') return
  const current = pass.type === 'acted' ? pass.result : facts.stored
  if (current) await reporter.report(current, plan.reports, step)
}
