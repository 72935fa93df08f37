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
 * Makes the loops of a checked tree count their steps. The answer begins one evaluation with a budget and gives back
 * whether it ran out.
 */
export function countSteps(root: TreeNode): (budget: Budget) => () => boolean {
  let current: Budget = { steps: 0 }
  for (const node of parts(root)) {
    const loop = node.op === 'comprehension' ? (node.args as Loop) : undefined
    if (loop) countLoop(loop, () => --current.steps >= 0)
  }
  return (budget) => {
    current = budget
    return () => budget.steps < 0
  }
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
  // A node replaces its own evaluate when it first runs.
  Object.defineProperty(step, 'evaluate', {
    get: () => counted,
    set: (next: Evaluate) => {
      inner = next
    },
    configurable: true,
  })
}
