import type { RolloutFacts } from './facts.ts'
import type { NodeFacts, Target } from './node-facts.ts'
import { isDegraded, isDone, isToldTo } from './node-facts.ts'
import { shortened, sinceInWords } from './wording.ts'

/** A node that keeps its pool from going on, and why. */
export interface Blocker {
  readonly node: string
  readonly because: string
}

/** Nodes that do not come on by themselves. One that is simply busy with its update is none. */
export function blockersIn({ nodes, drains }: RolloutFacts, target: Target): Blocker[] {
  const blockers: Blocker[] = []
  for (const node of nodes) {
    const because = blockedBecause(node, target, drains.get(node.name))
    if (because !== undefined) blockers.push({ node: node.name, because })
  }
  return blockers
}

function blockedBecause(
  node: NodeFacts,
  target: Target,
  drain: string | undefined,
): string | undefined {
  if (isDegraded(node)) {
    const config = isToldTo(node, target) ? target.config : (node.desired ?? 'its configuration')
    const why = node.reason === undefined ? 'its daemon does not say why' : shortened(node.reason)
    return `cannot apply ${config}: ${why}`
  }
  if (node.draining) return drain === undefined ? undefined : `drain blocked: ${shortened(drain)}`
  if (node.current === undefined) return 'its daemon has not reported a configuration yet'
  const isBusy = !isDone(node)
  for (const { kind, since } of node.problems) {
    // During its update a node is cordoned by us, and away while it reboots: named only if it does not come back.
    if (kind === 'cordoned' && isBusy) continue
    if (kind === 'cordoned') return `cordoned by a user${sinceInWords(since)}`
    return `${kind}${sinceInWords(since)}${isBusy ? ', during its update' : ''}`
  }
  return undefined
}
