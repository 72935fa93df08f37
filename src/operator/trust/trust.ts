import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain, stepController } from '@machinist/kube/controller/step-controller'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { InputReporter } from '../inputs/report-inputs.ts'
import type { TrustCaches } from './inputs.ts'
import { trustInputs } from './inputs.ts'
import type { TrustSources } from './gather.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { ActedTrustPass } from './report.ts'
import { announce, failuresOf, report } from './report.ts'
import { unfinished } from './failures.ts'
import { FirstPass } from './first-pass.ts'
import { LastGood } from './last-good.ts'
import { LastWritten } from './last-written.ts'
import { Payloads } from './payloads.ts'
import { trustMetrics } from './trust-metrics.ts'

export interface TrustSettings {
  /** How long the API server's CAs must be unchanged before they are published to nodes; one minute by default. */
  readonly settleMs?: number
}

/** How long the first write of the ControllerConfig waits for kubeconfig-data in the cache; usually its event arrives sooner. */
const firstWriteDelayMs = 1000

/** Trust sources → ControllerConfig, which every node reads. The key is the name of the ControllerConfig. */
export function trustController(
  context: ControllerContext,
  caches: TrustCaches,
  { settleMs }: TrustSettings = {},
): Controller {
  const reporter = new InputReporter(context.metrics)
  const metrics = trustMetrics(context.metrics)
  const sources: TrustSources = {
    caches,
    payloads: new Payloads(context.client),
    firstPass: new FirstPass(),
    lastWritten: new LastWritten<ControllerConfig>(),
    lastGood: new LastGood(),
    ...(settleMs !== undefined && { settleMs }),
  }
  return stepController(context, {
    name: 'trust',
    inputs: trustInputs(caches, context.clock),
    outputs: ['ControllerConfig', 'ConfigMap'],
    timeoutMs: 120_000,
    gather: (_key, step) => gather(sources, step),
    decide,
    announce: (plan) => announce(plan, metrics),
    act: (plan, facts, step) => act(plan, facts, { ...sources, ...step }),
    report: (pass, step) => report(pass, reporter, step),
    next,
  })
}

function next(pass: ActedTrustPass): PassOutcome {
  const { plan, result } = pass
  if (plan.type === 'kubeconfigDataFirst') {
    return result.failures.length > 0 ? decideAgain : requeueAfter(firstWriteDelayMs)
  }
  const failures = failuresOf(pass)
  const { requeueAfterMs } = plan
  if (failures.length > 0) throw unfinished(failures[0], requeueAfterMs)
  return requeueAfterMs === undefined ? settled : requeueAfter(requeueAfterMs)
}
