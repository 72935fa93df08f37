import { conditionOf } from '../../api/conditions.ts'
import { sameJson } from '@machinist/core/json'
import { timestamp } from '@machinist/core/timestamp'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import { modify } from '@machinist/kube/client-modify'
import type { Node, Taint } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { StandInCaches, Tools } from './stand-in-caches.ts'
import { unlessGone } from './unless-gone.ts'

/** What Kubernetes' node controller does: taints say what conditions and cordons say. */
export function nodeTaintsStandIn({ client, clock }: Tools, caches: StandInCaches): Controller {
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
      await unlessGone(modify(client, nodes, { name }, withTaints, { signal }))
      return settled
    },
  }
}

/** Pure: those that are right stay as they are, since when too. */
export function taintsOf({ spec, status }: Readonly<Node>, time: string): Taint[] {
  const isReady = conditionOf(status?.conditions, 'Ready')?.status === 'True'
  const wanted: Readonly<Record<string, boolean>> = {
    'node.kubernetes.io/not-ready': !isReady,
    'node.kubernetes.io/unschedulable': spec?.unschedulable === true,
  }
  const taints = (spec?.taints ?? []).filter(({ key }) => wanted[key] !== false)
  for (const [key, isWanted] of Object.entries(wanted)) {
    if (!isWanted || taints.some((taint) => taint.key === key)) continue
    taints.push({ key, effect: 'NoSchedule', ...(time && { timeAdded: time }) })
  }
  return taints
}
