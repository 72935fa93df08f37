import { sameJson } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import { modify } from '@machinist/kube/client/modify'
import type { Node, Taint } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { conditionOf } from '../../api/conditions.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { ignoreGone } from '../objects/ignore-gone.ts'
import type { StandInCaches } from './stand-in-caches.ts'

/** The part of the node lifecycle controller that derives taints from conditions and cordons. */
export function nodeTaintsStandIn(
  { client, clock }: DevclusterTools,
  caches: StandInCaches,
): Controller {
  const withTaints = (node: Node): Node => {
    const time = timestamp(clock.now())
    return { ...node, spec: { ...node.spec, taints: taintsOf(node, time) } }
  }
  return {
    name: 'node-taints-stand-in',
    inputs: [input({ resource: 'Node', informer: caches.nodes })],
    outputs: ['Node'],
    async reconcile(name, { signal }): Promise<Outcome> {
      const node = caches.nodes.get(name)
      if (!node || sameJson(taintsOf(node, ''), node.spec?.taints ?? [])) return settled
      await ignoreGone(modify(client, nodes, { name }, withTaints, { signal }))
      return settled
    },
  }
}

/** Pure: the taints of a node. Correct taints keep their timeAdded. */
export function taintsOf({ spec, status }: Readonly<Node>, time: string): Taint[] {
  const isReady = conditionOf(status?.conditions, 'Ready')?.status === 'True'
  const desired: Readonly<Record<string, boolean>> = {
    'node.kubernetes.io/not-ready': !isReady,
    'node.kubernetes.io/unschedulable': spec?.unschedulable === true,
  }
  const taints = (spec?.taints ?? []).filter(({ key }) => desired[key] !== false)
  for (const [key, isDesired] of Object.entries(desired)) {
    if (!isDesired || taints.some((taint) => taint.key === key)) continue
    taints.push({ key, effect: 'NoSchedule', ...(time && { timeAdded: time }) })
  }
  return taints
}
