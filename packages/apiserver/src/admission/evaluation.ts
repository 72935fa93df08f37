import type { Budget } from '../schema/cel-budget.ts'
import { outOfBudget } from '../schema/cel-budget.ts'
import { ExpressionError } from '../schema/cel.ts'
import type { Compiled } from './compiled-expression.ts'

/** Steps for one expression, and for all expressions of one policy together: about what kube-apiserver's limits allow. */
const stepsOfOne = 400_000
const stepsOfAll = 10 * stepsOfOne
/** Asking for rights is dear: an expression may do it twice. */
const stepsOfCheck = 140_000

export type Context = Readonly<Record<string, unknown>>

/** The value of an expression, or why it has none. */
export type Evaluated = { readonly value: unknown } | { readonly problem: string }

/** Everything that a policy may spend on one request is spent. */
export class OutOfBudget extends Error {
  constructor() {
    super(outOfBudget)
    this.name = 'OutOfBudget'
  }
}

/** Evaluates the expressions of one policy for one request, within bounds. */
export class Evaluation {
  readonly #context: Context
  #left = stepsOfAll
  #current: Budget = { steps: stepsOfOne }

  /** `contextOf` is given what a check of rights has to call first. */
  constructor(
    contextOf: (chargeCheck: () => void) => Context,
    variables: ReadonlyMap<string, Compiled>,
  ) {
    const context = contextOf(() => this.#chargeCheck())
    this.#context = { ...context, variables: this.#lazily(variables) }
  }

  /** Throws OutOfBudget. */
  of(asked: Compiled): Evaluated {
    if ('problem' in asked) return { problem: `compilation error: ${asked.problem}` }
    if (this.#left < 0) throw new OutOfBudget()
    try {
      return { value: this.#value(asked) }
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return { problem: `expression '${asked.text}' resulted in error: ${said(error)}` }
    }
  }

  #value(asked: Extract<Compiled, { expression: unknown }>): unknown {
    const outer = this.#current
    const budget: Budget = { steps: stepsOfOne }
    this.#current = budget
    try {
      return asked.expression.evaluate(this.#context, budget)
    } finally {
      this.#current = outer
      this.#left -= stepsOfOne - Math.max(budget.steps, 0)
    }
  }

  /** Each variable is worked out when it is first used, and once. */
  #lazily(variables: ReadonlyMap<string, Compiled>): object {
    const lazy = {}
    for (const [name, asked] of variables) {
      let known: (() => unknown) | undefined
      const get = (): unknown => (known ??= this.#settled(name, asked))()
      Object.defineProperty(lazy, name, { get, enumerable: true })
    }
    return lazy
  }

  #settled(name: string, asked: Compiled): () => unknown {
    const label = `composited variable ${JSON.stringify(name)} fails to`
    if ('problem' in asked) return failing(`${label} compile: ${asked.problem}`)
    try {
      const value = this.#value(asked)
      return () => value
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return failing(`${label} evaluate: ${said(error)}`)
    }
  }

  #chargeCheck(): void {
    this.#current.steps -= stepsOfCheck
    if (this.#current.steps < 0) throw new ExpressionError(outOfBudget)
  }
}

const failing = (message: string) => (): never => {
  throw new ExpressionError(message)
}

const said = ({ message }: ExpressionError): string =>
  message === outOfBudget ? 'operation cancelled: actual cost limit exceeded' : reworded(message)

const reworded = (message: string): string =>
  /^(no such overload|found no matching overload)/.test(message) ? 'no such overload' : message
