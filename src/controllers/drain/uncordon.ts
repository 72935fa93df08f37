import { InvalidInput, messageOf, Waiting } from '@machinist/core/errors'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Node } from '@machinist/kube/kinds/core'
import { acknowledgeUncordon, uncordon } from './act.ts'
import { onOneLine } from '../../fleet/drain/blockers.ts'
import { decideUncordon } from './decide-uncordon.ts'
import { readNode, settingsFor } from './gather.ts'
import { drainInputs } from './inputs.ts'
import { pendingRequest } from './request.ts'
import { reportDrain } from './report.ts'
import { shortPauseMs } from './timing.ts'
import type { DrainContext } from './context.ts'

const workers = 10
const requestMs = 15_000

/** Uncordons nodes whose daemons request it. A separate controller, so that it never waits behind a drain. */
export function uncordonController(context: DrainContext): Controller {
  return {
    name: 'uncordon',
    inputs: drainInputs(context, ['uncordon']),
    outputs: ['Node', 'MachineConfigNode'],
    workers,
    async reconcile(name, reconcileContext) {
      const call = { signal: reconcileContext.signal, timeoutMs: requestMs }
      const node = await readNode(context.client, name, call)
      const request = node && pendingRequest(node)
      if (!node || request?.verb !== 'uncordon') return settled
      try {
        return await step(context, node, reconcileContext)
      } catch (error) {
        const report = {
          type: 'uncordon failed',
          config: request.config,
          error: onOneLine(messageOf(error)),
        } as const
        await reportDrain(context, node, report, reconcileContext.log, call)
        if (!(error instanceof InvalidInput)) throw error
        throw new Waiting('InvalidDrainPolicy', error.message, shortPauseMs)
      }
    },
  }
}

async function step(
  context: DrainContext,
  node: Node,
  { log, signal }: ReconcileContext,
): Promise<Outcome> {
  const { check, why, next } = decideUncordon({ node, settings: settingsFor(context, node) })
  log.debug('decided', { check, why, action: next.action })
  const call = { signal, timeoutMs: requestMs }
  const { name } = node.metadata
  if (next.action === 'uncordon') {
    if (await uncordon(context.client, node, call)) log.info('uncordoned node', { node: name })
    return requeueAfter(0)
  }
  if (next.action !== 'acknowledge') return settled
  const { config } = pendingRequest(node)!
  const report = next.cordonKept
    ? ({ type: 'cordon kept', config, why: `Left cordoned after ${config}: ${why}` } as const)
    : ({ type: 'uncordoned', config } as const)
  await reportDrain(context, node, report, log, call)
  if (!(await acknowledgeUncordon(context.client, node, next.value, call))) return requeueAfter(0)
  log.info('acknowledged uncordon', { node: name, request: next.value })
  context.metrics.clearOverdue(name)
  context.metrics.setLastAction('uncordon', name, context.clock.now())
  return settled
}
