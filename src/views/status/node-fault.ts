import type { Node } from '@machinist/kube/kinds/core'

/** What a user can let happen to a sandbox node, by an annotation on its Node. */
const faults = ['power-off', 'not-ready', 'full-disk', 'slow'] as const

export type NodeFault = (typeof faults)[number]

/** `kubectl annotate node worker-1 sandbox.machinist.dev/fault=power-off`, several separated by commas. */
export const faultAnnotation = 'sandbox.machinist.dev/fault'

/** Pure: the faults of a node; unknown words have no effect. */
export function nodeFaults(node: Readonly<Node> | undefined): ReadonlySet<NodeFault> {
  const named = new Set(faultWords(node))
  return new Set(faults.filter((fault) => named.has(fault)))
}

/** Pure: what to show of a node's faults, if it has any. */
export function faultText(node: Readonly<Node>): string | undefined {
  const words = faultWords(node)
  if (words.length === 0) return undefined
  const known: readonly string[] = faults
  const unknown = words.filter((word) => !known.includes(word))
  const hint =
    unknown.length > 0 ? ` (unknown: ${unknown.join(', ')}; use ${faults.join(', ')})` : ''
  return `fault ${words.join(', ')}${hint}`
}

function faultWords(node: Readonly<Node> | undefined): string[] {
  const text = node?.metadata.annotations?.[faultAnnotation] ?? ''
  return text.split(',').flatMap((word) => word.trim() || [])
}
