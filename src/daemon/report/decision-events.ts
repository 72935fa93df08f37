import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { Update } from '../apply/update.ts'
import type { FollowDecision } from '../follow/decide/decision.ts'
import type { FollowFacts } from '../follow/facts/facts.ts'
import type { NodeView } from '../node/node-view.ts'
import { stateOf } from '../node/node-view.ts'

export interface NodeEvent {
  readonly reason: string
  readonly message: string
  readonly isWarning?: boolean
}

/** The events on the Node for a new decision. */
export function eventsFor(
  { next, why, report }: FollowDecision,
  facts: FollowFacts,
  node: NodeView,
): NodeEvent[] {
  const { name } = node
  if (next.action === 'update') return updateEvents(next.update, facts, node)
  if (next.action === 'done') return doneEvents(report, facts, node)
  if (next.action === 'requestDrain') {
    return [
      { reason: nodeEvents.cordon, message: `Cordoned node ${name} to apply update` },
      { reason: nodeEvents.drain, message: `Draining node ${name} to update config: ${why}` },
    ]
  }
  if (next.action === 'stay') {
    return [{ reason: nodeEvents.diskAheadOfNode, message: why, isWarning: true }]
  }
  if (next.action === 'complete') {
    const message = `Update completed for config, uncordoning node ${name}`
    return [{ reason: nodeEvents.uncordon, message }]
  }
  if (next.action === 'unreconcilable') {
    return [{ reason: nodeEvents.failedToReconcile, message: why, isWarning: true }]
  }
  const isEvent = (next.action === 'degrade' || next.action === 'wait') && next.event !== undefined
  return isEvent ? [{ reason: next.event, message: why, isWarning: true }] : []
}

function doneEvents(
  report: FollowDecision['report'],
  facts: FollowFacts,
  node: NodeView,
): NodeEvent[] {
  const config = report?.current?.config ?? ''
  const wasDone = facts.settled && stateOf(node) === nodeStates.done
  if (wasDone && node.annotations[nodeAnnotations.currentConfig] === config) return []
  const message = `Setting node ${node.name}, currentConfig ${config} to Done`
  return [{ reason: nodeEvents.nodeDone, message }]
}

function updateEvents({ plan, desired }: Update, facts: FollowFacts, node: NodeView): NodeEvent[] {
  const events: NodeEvent[] = []
  if (!facts.settled) {
    const message = `Booting node ${node.name}, currentConfig ${plan.from}, desiredConfig ${plan.to}`
    events.push({ reason: nodeEvents.bootResync, message })
  }
  const os = plan.steps.find((step) => step.do === 'change-os')
  if (os) {
    const parts = Object.keys(os).filter((key) => key !== 'do')
    const message = `Changing the OS (${parts.join(', ')}) for ${plan.to}`
    // MCO emits no upgrade event for kernel arguments alone.
    if (os.image || os.kernelType || os.extensions) {
      const image = os.image?.to ?? desired.spec?.osImageURL ?? ''
      const upgrade = `Updating from oscontainer ${image}`
      events.push({ reason: nodeEvents.inClusterUpgrade, message: upgrade })
    }
    events.push({ reason: nodeEvents.osUpdateStarted, message })
  }
  return events
}
