/** The library's syntax tree, as far as this package reads it. */
export interface TreeNode {
  readonly op: string
  readonly args: unknown
  readonly pos: number
  readonly meta: { readonly alternate?: TreeNode; readonly macro?: Macro }
  evaluate: Evaluate
}

export type Evaluate = (evaluator: Evaluator, node: unknown, context: unknown) => unknown

export interface Evaluator {
  run(node: TreeNode, context: unknown): unknown
}

export interface Macro {
  readonly args?: readonly TreeNode[]
  typeCheck: (checker: Checker, macro: unknown, context: unknown) => unknown
  evaluate: Evaluate
}

interface Checker {
  check(node: TreeNode, context: unknown): unknown
  getType(name: string): unknown
}

/** A node and all nodes below it, including those inside macros. */
export function parts(root: TreeNode): Set<TreeNode> {
  const found = new Set<TreeNode>()
  const waiting: unknown[] = [root]
  const seen = new Set<unknown>()
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    if (isNode(next)) {
      found.add(next)
      waiting.push(next.args, next.meta.alternate)
      if (next.meta.macro) waiting.push(...Object.values(next.meta.macro))
    } else if (Array.isArray(next) || Object.getPrototypeOf(next) === Object.prototype) {
      waiting.push(...(Object.values(next) as unknown[]))
    }
  }
  return found
}

function isNode(value: object): value is TreeNode {
  return 'op' in value && 'args' in value && 'meta' in value
}
