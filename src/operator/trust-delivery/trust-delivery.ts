import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { WritePacer } from '@machinist/kube/controller/write-pacer'
import type { TrustDeliveryCaches } from './inputs.ts'
import { trustDeliveryInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import type { TrustDeliveryPass } from './act.ts'
import { act } from './act.ts'
import { announce } from './report.ts'
import { TrackedDelivery } from './tracked-delivery.ts'
import { trustDeliveryMetrics } from './trust-delivery-metrics.ts'

export interface TrustDeliverySettings {
  /** How long changes are batched before the condition is written; two seconds by default. */
  readonly batchMs?: number
}

const defaultBatchMs = 2000
/** Update interval of the lag metrics while nodes lag. */
const metricsIntervalMs = 15_000

/** Reports which nodes have the desired trust items. The key is the name of the ControllerConfig. Has state: one instance per run. */
export function trustDeliveryController(
  context: ControllerContext,
  caches: TrustDeliveryCaches,
  { batchMs = defaultBatchMs }: TrustDeliverySettings = {},
): Controller {
  const { clock } = context
  const tracked = new TrackedDelivery()
  const pacer = new WritePacer(batchMs)
  const metrics = trustDeliveryMetrics(context.metrics)
  return stepController(context, {
    // The label in metrics and logs, which users select by.
    name: 'trust-ledger',
    inputs: trustDeliveryInputs(caches, tracked, clock),
    outputs: ['ControllerConfig'],
    gather: () => gather(tracked, clock),
    decide,
    announce: (plan, facts) => announce(plan, facts, metrics),
    act: (plan, _facts, step) => act(plan, { ...step, tracked, pacer }),
    next,
  })
}

function next({ plan, result }: TrustDeliveryPass & { readonly type: 'acted' }): Outcome {
  if (result.waitMs > 0) return requeueAfter(result.waitMs)
  return plan.isLagging ? requeueAfter(metricsIntervalMs) : settled
}
