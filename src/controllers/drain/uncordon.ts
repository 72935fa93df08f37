import { InvalidInput, messageOf, Waiting } from '@machinist/core/errors'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Node } from '@machinist/kube/kinds/core'
import { acknowledgeUncordon, uncordon } from './act.ts'
import { onOneLine } from '../../fleet/drain/blockers.ts'
import { decideUncordon } from './decide-uncordon.ts'
import { nodeNow, settingsFor } from './gather.ts'
import { drainInputs } from './inputs.ts'
import { pendingRequest } from './request.ts'
import { tell } from './tell.ts'
import { shortRestMs } from './timing.ts'
import type { DrainWorld } from './world.ts'

const workers = 10
const requestMs = 15_000

/** Uncordons the nodes whose daemons ask for it. A controller of its own, so that it never waits behind a drain. */
export function uncordonController(world: DrainWorld): Controller {
  return {
    name: 'uncordon',
    inputs: drainInputs(world, ['uncordon']),
    outputs: ['Node', 'MachineConfigNode'],
    workers,
    async reconcile(name, context) {
      const call = { signal: context.signal, timeoutMs: requestMs }
      const node = await nodeNow(world.client, name, call)
      const request = node && pendingRequest(node)
      if (!node || request?.verb !== 'uncordon') return settled
      try {
        return await step(world, node, context)
      } catch (error) {
        const report = {
          at: 'uncordon failed',
          config: request.config,
          error: onOneLine(messageOf(error)),
        } as const
        await tell(world, node, report, context.log, call)
        if (!(error instanceof InvalidInput)) throw error
        throw new Waiting('InvalidDrainPolicy', error.message, shortRestMs)
      }
    },
  }
}

async function step(
  world: DrainWorld,
  node: Node,
  { log, signal }: ReconcileContext,
): Promise<Outcome> {
  const { policy, why, next } = decideUncordon({ node, settings: settingsFor(world, node) })
  log.debug('decided', { policy, why, next: next.do })
  const call = { signal, timeoutMs: requestMs }
  const { name } = node.metadata
  if (next.do === 'uncordon') {
    if (await uncordon(world.client, node, call)) log.info('node is uncordoned', { node: name })
    return requeueAfter(0)
  }
  if (next.do !== 'acknowledge') return settled
  const { config } = pendingRequest(node)!
  const report = next.cordonKept
    ? ({ at: 'cordon kept', config, why: `Left cordoned after ${config}: ${why}` } as const)
    : ({ at: 'uncordoned', config } as const)
  await tell(world, node, report, log, call)
  if (!(await acknowledgeUncordon(world.client, node, next.value, call))) return requeueAfter(0)
  log.info('uncordon is acknowledged', { node: name, request: next.value })
  world.metrics.onTime(name)
  world.metrics.done('uncordon', name, world.clock.now())
  return settled
}
