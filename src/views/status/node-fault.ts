import type { Node } from '@machinist/kube/kinds/core'

/** Faults that a user can inject into a sandbox node with an annotation on its Node. */
const faults = ['power-off', 'not-ready', 'full-disk', 'slow'] as const

export type NodeFault = (typeof faults)[number]

/** `kubectl annotate node worker-1 sandbox.machinist.dev/fault=power-off`, several separated by commas. */
export const faultAnnotation = 'sandbox.machinist.dev/fault'

/** Pure: the faults of a node. Unknown names have no effect. */
export function nodeFaults(node: Readonly<Node> | undefined): ReadonlySet<NodeFault> {
  const named = new Set(faultNames(node))
  return new Set(faults.filter((fault) => named.has(fault)))
}

/** Pure: the faults of a node as text; undefined without faults. */
export function faultText(node: Readonly<Node>): string | undefined {
  const names = faultNames(node)
  if (names.length === 0) return undefined
  const known: readonly string[] = faults
  const unknown = names.filter((name) => !known.includes(name))
  const hint =
    unknown.length > 0 ? ` (unknown: ${unknown.join(', ')}; use ${faults.join(', ')})` : ''
  return `fault ${names.join(', ')}${hint}`
}

function faultNames(node: Readonly<Node> | undefined): string[] {
  const text = node?.metadata.annotations?.[faultAnnotation] ?? ''
  return text.split(',').flatMap((name) => name.trim() || [])
}
