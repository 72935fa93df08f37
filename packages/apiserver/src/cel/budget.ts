import type { Evaluate, TreeNode } from './tree.ts'
import { parts } from './tree.ts'

/** Remaining loop steps, shared by all rules of one validation to bound its time. */
export interface Budget {
  steps: number
}

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

export function newBudget(): Budget {
  return { steps: 1_000_000 }
}

/**
 * Makes the loops and growing operations of a checked tree count their steps. The result starts one evaluation with a
 * budget and returns a function that reports whether the budget ran out.
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

/** Additions and calls: doubling a string or list often enough fills the memory without a loop. */
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

/** In steps: one per list item, one per ten characters. */
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
  // `all` and `exists` swallow errors and continue; once the budget is exhausted, their result is irrelevant.
  const ending = (): unknown => {
    if (errorsAreFatal === true) throw new Error(outOfBudget)
    return init.args !== true
  }
  const counted: Evaluate = (evaluator, node, context) =>
    mayGoOn() ? inner.call(step, evaluator, node, context) : ending()
  replaceEvaluate(step, counted, (next) => (inner = next))
}

/** A node replaces its own `evaluate` on its first run. */
function replaceEvaluate(node: TreeNode, by: Evaluate, replaced: (next: Evaluate) => void): void {
  // The step of a loop can be an addition as well: both counters wrap it, and an assignment goes to the innermost one.
  const before = Object.getOwnPropertyDescriptor(node, 'evaluate')
  const set = (next: Evaluate): void => (before?.set ? before.set(next) : replaced(next))
  Object.defineProperty(node, 'evaluate', { get: () => by, set, configurable: true })
}
