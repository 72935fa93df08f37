import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { Update } from '../apply/update.ts'
import type { Decision } from '../follow/decision.ts'
import type { Facts, NodeView } from '../follow/facts.ts'
import { stateOf } from '../follow/situation.ts'

export interface ToldEvent {
  readonly reason: string
  readonly message: string
  readonly isBad?: boolean
}

/** What people find in `kubectl describe node` about a decision that is new. */
export function eventsFor(
  { next, why, report }: Decision,
  facts: Facts,
  node: NodeView,
): ToldEvent[] {
  const { name } = node
  if (next.do === 'update') return updateEvents(next.update, facts, node)
  if (next.do === 'done') return doneEvents(report, facts, node)
  if (next.do === 'requestDrain') {
    return [
      { reason: nodeEvents.cordon, message: `Cordoned node ${name} to apply update` },
      { reason: nodeEvents.drain, message: `Draining node ${name} to update config: ${why}` },
    ]
  }
  if (next.do === 'stay') {
    return [{ reason: nodeEvents.diskAheadOfNode, message: why, isBad: true }]
  }
  if (next.do === 'complete') {
    const message = `Update completed for config, uncordoning node ${name}`
    return [{ reason: nodeEvents.uncordon, message }]
  }
  if (next.do === 'unreconcilable') {
    return [{ reason: nodeEvents.failedToReconcile, message: why, isBad: true }]
  }
  const isEvent = (next.do === 'degrade' || next.do === 'wait') && next.event !== undefined
  return isEvent ? [{ reason: next.event, message: why, isBad: true }] : []
}

function doneEvents(report: Decision['report'], facts: Facts, node: NodeView): ToldEvent[] {
  const config = report?.current?.config ?? ''
  const wasDone = facts.settled && stateOf(node) === nodeStates.done
  if (wasDone && node.annotations[nodeAnnotations.currentConfig] === config) return []
  const message = `Setting node ${node.name}, currentConfig ${config} to Done`
  return [{ reason: nodeEvents.nodeDone, message }]
}

function updateEvents({ plan, desired }: Update, facts: Facts, node: NodeView): ToldEvent[] {
  const events: ToldEvent[] = []
  if (!facts.settled) {
    const message = `Booting node ${node.name}, currentConfig ${plan.from}, desiredConfig ${plan.to}`
    events.push({ reason: nodeEvents.bootResync, message })
  }
  const os = plan.steps.find((step) => step.do === 'change-os')
  if (os) {
    const parts = Object.keys(os).filter((key) => key !== 'do')
    const message = `Changing the OS (${parts.join(', ')}) for ${plan.to}`
    // Kernel arguments alone never were an upgrade.
    if (os.image || os.kernelType || os.extensions) {
      const image = os.image?.to ?? desired.spec?.osImageURL ?? ''
      const upgrade = `Updating from oscontainer ${image}`
      events.push({ reason: nodeEvents.inClusterUpgrade, message: upgrade })
    }
    events.push({ reason: nodeEvents.osUpdateStarted, message })
  }
  return events
}
