import type { Evaluate, TreeNode } from './cel-tree.ts'
import { parts } from './cel-tree.ts'

/** Steps of loops that are left. Shared by all rules of one validation, so that it cannot take for ever. */
export interface Budget {
  steps: number
}

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

export function newBudget(): Budget {
  return { steps: 1_000_000 }
}

/**
 * Makes the loops of a checked tree count their steps, and what grows its size. The answer begins one evaluation with a
 * budget and gives back whether it ran out.
 */
export function countSteps(root: TreeNode): (budget: Budget) => () => boolean {
  let current: Budget = { steps: 0 }
  for (const node of parts(root)) {
    const loop = node.op === 'comprehension' ? (node.args as Loop) : undefined
    if (loop) countLoop(loop, () => --current.steps >= 0)
    if (growing.has(node.op)) {
      countGrowth(node, (size) => {
        current.steps -= size
        return current.steps >= 0
      })
    }
  }
  return (budget) => {
    current = budget
    return () => budget.steps < 0
  }
}

/** Sums and calls: a text or a list that is doubled often enough would fill the memory without a single loop. */
const growing = new Set(['+', 'call', 'rcall'])

function countGrowth(node: TreeNode, mayGrow: (size: number) => boolean): void {
  let inner: Evaluate = node.evaluate
  const counted: Evaluate = (evaluator, self, context) => {
    const result = inner.call(node, evaluator, self, context)
    if (!mayGrow(sizeOf(result))) throw new Error(outOfBudget)
    return result
  }
  replaceEvaluate(node, counted, (next) => (inner = next))
}

/** In steps: an item of a list is one, so are ten characters. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Math.floor(value.length / 10)
  return Array.isArray(value) ? value.length : 0
}

interface Loop {
  readonly step: TreeNode
  readonly init: TreeNode
  readonly errorsAreFatal?: boolean
}

function countLoop({ step, init, errorsAreFatal }: Loop, mayGoOn: () => boolean): void {
  let inner: Evaluate = step.evaluate
  // `all` and `exists` swallow errors and go on: what ends them is their answer. It does not count any more.
  const ending = (): unknown => {
    if (errorsAreFatal === true) throw new Error(outOfBudget)
    return init.args !== true
  }
  const counted: Evaluate = (evaluator, node, context) =>
    mayGoOn() ? inner.call(step, evaluator, node, context) : ending()
  replaceEvaluate(step, counted, (next) => (inner = next))
}

/** A node replaces its own evaluate when it first runs. */
function replaceEvaluate(node: TreeNode, by: Evaluate, replaced: (next: Evaluate) => void): void {
  // The step of a loop may be a sum too. It counts as both, and what it sets is for the innermost.
  const before = Object.getOwnPropertyDescriptor(node, 'evaluate')
  const set = (next: Evaluate): void => (before?.set ? before.set(next) : replaced(next))
  Object.defineProperty(node, 'evaluate', { get: () => by, set, configurable: true })
}
