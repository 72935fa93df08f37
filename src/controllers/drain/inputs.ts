import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import type { PendingRequest } from './request.ts'
import { isCordoned, pendingRequest } from './request.ts'
import { turnsText } from './turn.ts'
import type { DrainContext } from './context.ts'
import { pendingIndex } from './context.ts'

/** Enqueues nodes whose request has one of these verbs, also when DrainPolicies or turns change. */
export function drainInputs(
  context: DrainContext,
  verbs: readonly PendingRequest['verb'][],
): Input[] {
  const pending = (): string[] =>
    verbs
      .flatMap((verb) => context.nodes.byIndex(pendingIndex, verb))
      .map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'Node',
      informer: context.nodes,
      keys: (change) => (isRelevant(change, verbs) ? [change.object.metadata.name] : []),
    }),
    input({ resource: 'DrainPolicy', informer: context.drainPolicies, keys: pending }),
    input({
      resource: 'MachineConfigPool',
      informer: context.pools,
      keys: (change) => (hasOtherTurns(change) ? pending() : []),
    }),
    // Only read: the caches must be synced, but no change enqueues a node.
    input({ resource: 'PodDisruptionBudget', informer: context.budgets, keys: noKeys }),
    input({ resource: 'DaemonSet', informer: context.daemonSets, keys: noKeys }),
    input({ resource: 'MachineConfigNode', informer: context.machineConfigNodes, keys: noKeys }),
  ]
}

/** Most changes of nodes do not matter here. */
export function isRelevant(
  change: Change<Node>,
  verbs: readonly PendingRequest['verb'][],
): boolean {
  const { object } = change
  if (change.type === 'deleted') return true
  const hasRequest = (node: Readonly<Node>): boolean => {
    const request = pendingRequest(node)
    return request !== undefined && verbs.includes(request.verb)
  }
  if (change.type === 'added') return hasRequest(object)
  return (hasRequest(object) || hasRequest(change.before)) && !sameInput(change.before, object)
}

function sameInput(a: Readonly<Node>, b: Readonly<Node>): boolean {
  const { desiredDrain, lastAppliedDrain } = nodeAnnotations
  return (
    // A new cordon is our own write, or harmless.
    (isCordoned(b) || !isCordoned(a)) &&
    [desiredDrain, lastAppliedDrain].every(
      (key) => a.metadata.annotations?.[key] === b.metadata.annotations?.[key],
    )
  )
}

/** A drain may wait for a turn of its pool. */
const hasOtherTurns = (change: Change<MachineConfigPool>): boolean =>
  change.type !== 'updated' || turnsText(change.before) !== turnsText(change.object)

const noKeys = (): string[] => []
