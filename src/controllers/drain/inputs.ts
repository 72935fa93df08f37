import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import type { PendingRequest } from './request.ts'
import { isCordoned, pendingRequest } from './request.ts'
import { turnsText } from './turn.ts'
import type { DrainWorld } from './world.ts'
import { pendingIndex } from './world.ts'

/** What wakes a controller: the nodes whose request has one of these verbs, and the policies for draining them. */
export function drainInputs(world: DrainWorld, verbs: readonly PendingRequest['verb'][]): Input[] {
  const pending = (): string[] =>
    verbs
      .flatMap((verb) => world.nodes.byIndex(pendingIndex, verb))
      .map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'Node',
      informer: world.nodes,
      keys: (change) => (concerns(change, verbs) ? [change.object.metadata.name] : []),
    }),
    input({ resource: 'DrainPolicy', informer: world.drainPolicies, keys: pending }),
    input({
      resource: 'MachineConfigPool',
      informer: world.pools,
      keys: (change) => (hasOtherTurns(change) ? pending() : []),
    }),
    // Only read: nothing of theirs asks for a step, but nothing may be decided before they are known.
    input({ resource: 'PodDisruptionBudget', informer: world.budgets, keys: noKeys }),
    input({ resource: 'DaemonSet', informer: world.daemonSets, keys: noKeys }),
    input({ resource: 'MachineConfigNode', informer: world.machineConfigNodes, keys: noKeys }),
  ]
}

/** Nodes change all the time, and hardly ever in a way that matters here. */
export function concerns(change: Change<Node>, verbs: readonly PendingRequest['verb'][]): boolean {
  const { object } = change
  if (change.type === 'deleted') return true
  const isOurs = (node: Readonly<Node>): boolean => {
    const request = pendingRequest(node)
    return request !== undefined && verbs.includes(request.verb)
  }
  if (change.type === 'added') return isOurs(object)
  return (isOurs(object) || isOurs(change.before)) && !sameInput(change.before, object)
}

function sameInput(a: Readonly<Node>, b: Readonly<Node>): boolean {
  const { desiredDrain, lastAppliedDrain } = nodeAnnotations
  return (
    // That a node is cordoned is our own doing, or does no harm.
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
