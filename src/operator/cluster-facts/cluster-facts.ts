import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { InputReporter } from '../inputs/report-inputs.ts'
import type { ClusterFactsCaches } from './inputs.ts'
import { clusterFactsInputs } from './inputs.ts'
import type { ClusterFactsSources } from './gather.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import { report } from './report.ts'
import { TrustWait } from './trust-wait.ts'

export interface ClusterFactsSettings {
  /** The version of Machinist: controllers only use a ControllerConfig that an operator of the same version wrote. */
  readonly version: string
  /** How long to wait for the first write of the trust controller, so that facts and versions are one write; 0 by default. */
  readonly trustFirstMs?: number
  /** The release of the cluster that Machinist is part of, if any. */
  readonly payloadVersion?: string
}

/** Cluster facts → ControllerConfig, except its trust fields. The key is the name of the ControllerConfig. */
export function clusterFactsController(
  context: ControllerContext,
  caches: ClusterFactsCaches,
  { version, trustFirstMs = 0, payloadVersion }: ClusterFactsSettings,
): Controller {
  const { clock, metrics } = context
  const reporter = new InputReporter(metrics)
  const sources: ClusterFactsSources = {
    caches,
    trustWait: new TrustWait(clock, trustFirstMs),
    versions: { version, release: payloadVersion ?? version },
    payloadVersion,
  }
  return stepController(context, {
    name: 'cluster-facts',
    inputs: clusterFactsInputs(caches, clock),
    outputs: ['ControllerConfig'],
    gather: () => gather(sources),
    decide,
    act,
    report: (pass, step) => report(pass, reporter, step),
    next: ({ plan }) => (plan.type === 'wait' ? requeueAfter(plan.ms) : settled),
  })
}
