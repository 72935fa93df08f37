import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { TrustCaches, TrustInputSources } from './inputs.ts'
import { trustInputs } from './inputs.ts'
import type { TrustSources } from './gather.ts'
import { gather } from './gather.ts'
import type { TrustResult } from './facts/facts.ts'
import { decide } from './decide/decide.ts'
import { act } from './act.ts'
import { report } from './report/report.ts'
import { next } from './next.ts'

/** The parts of the trust lane. */
export type TrustParts = TrustSources & TrustInputSources

/**
 * The trust lane: delivers CAs and pull secrets to the disk. It runs beside the config lane and never waits for it. The only key
 * is the name of the Node.
 */
export function nodeTrustController(
  context: ControllerContext,
  caches: TrustCaches,
  parts: TrustParts,
): Controller {
  caches.config.onRelist((begunAt) => parts.source.relisted(begunAt))
  return stepController(context, {
    name: 'node-trust',
    inputs: trustInputs(caches, parts),
    outputs: ['NodeTrust', 'Event'],
    gather: (_name, { log }, previous?: TrustResult) => gather(parts, previous, log),
    decide,
    act: (plan, facts, { log, signal }) => act(plan, facts, { ...parts, log, signal }),
    report: (pass, { log, signal }) => report(pass, { ...parts, log, signal }),
    next: (pass) => next(pass, parts),
  })
}
