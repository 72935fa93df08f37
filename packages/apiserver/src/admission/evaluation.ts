import type { Budget } from '../cel/budget.ts'
import { outOfBudget } from '../cel/budget.ts'
import { ExpressionError } from '../cel/cel.ts'
import type { CompiledExpression } from './policies/compiled-expression.ts'

/** Step limits for one expression and for all expressions of a policy, close to kube-apiserver's cost limits. */
const stepsOfOne = 400_000
const stepsOfAll = 10 * stepsOfOne
/** Authorization checks are expensive: an expression may make two. */
const stepsOfCheck = 140_000

export type Context = Readonly<Record<string, unknown>>

/** The value of an expression, or its evaluation error. */
export type Evaluated = { readonly value: unknown } | { readonly problem: string }

/** A policy has used its whole budget for this request. */
export class OutOfBudget extends Error {
  constructor() {
    super(outOfBudget)
    this.name = 'OutOfBudget'
  }
}

/** Evaluates the expressions of one policy for one request, within a budget. */
export class Evaluation {
  readonly #context: Context
  #left = stepsOfAll
  #current: Budget = { steps: stepsOfOne }

  /** `contextOf` receives the function that each authorization check calls to charge the budget. */
  constructor(
    contextOf: (chargeCheck: () => void) => Context,
    variables: ReadonlyMap<string, CompiledExpression>,
  ) {
    const context = contextOf(() => this.#chargeCheck())
    this.#context = { ...context, variables: this.#lazily(variables) }
  }

  /** Throws OutOfBudget. */
  of(compiled: CompiledExpression): Evaluated {
    if ('problem' in compiled) return { problem: `compilation error: ${compiled.problem}` }
    if (this.#left < 0) throw new OutOfBudget()
    try {
      return { value: this.#value(compiled) }
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return { problem: `expression '${compiled.text}' resulted in error: ${messageOf(error)}` }
    }
  }

  #value(compiled: Extract<CompiledExpression, { expression: unknown }>): unknown {
    const outer = this.#current
    const budget: Budget = { steps: stepsOfOne }
    this.#current = budget
    try {
      return compiled.expression.evaluate(this.#context, budget)
    } finally {
      this.#current = outer
      this.#left -= stepsOfOne - Math.max(budget.steps, 0)
    }
  }

  /** Each variable is evaluated once, on first use. */
  #lazily(variables: ReadonlyMap<string, CompiledExpression>): object {
    const lazy = {}
    for (const [name, compiled] of variables) {
      let known: (() => unknown) | undefined
      const get = (): unknown => (known ??= this.#evaluated(name, compiled))()
      Object.defineProperty(lazy, name, { get, enumerable: true })
    }
    return lazy
  }

  #evaluated(name: string, compiled: CompiledExpression): () => unknown {
    const label = `composited variable ${JSON.stringify(name)} fails to`
    if ('problem' in compiled) return failing(`${label} compile: ${compiled.problem}`)
    try {
      const value = this.#value(compiled)
      return () => value
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return failing(`${label} evaluate: ${messageOf(error)}`)
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

const messageOf = ({ message }: ExpressionError): string =>
  message === outOfBudget ? 'operation cancelled: actual cost limit exceeded' : reworded(message)

const reworded = (message: string): string =>
  /^(no such overload|found no matching overload)/.test(message) ? 'no such overload' : message
