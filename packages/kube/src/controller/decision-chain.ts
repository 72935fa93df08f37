/** One named check of a chain. */
export interface Check<Facts, Result> {
  readonly name: string
  /** The result if this check decides; undefined leaves the decision to the next check. */
  readonly decide: (facts: Facts) => Result | undefined
  /** Why the check does not decide, for explanations. */
  readonly passes?: (facts: Facts) => string
}

/** The result of the first check that decides, with the name of that check. */
export interface Decided<Result> {
  readonly check: string
  readonly result: Result
}

/** One line of an explanation. */
export interface Verdict {
  readonly check: string
  readonly passed: boolean
  readonly because: string
}

/**
 * The ordered checks of a decision. The first check that decides is the decision and its explanation: a controller acts on
 * `evaluate`, and `explain` shows users the same checks up to that one.
 */
export class DecisionChain<Facts, Result> {
  readonly checks: readonly Check<Facts, Result>[]
  readonly #because: (result: Result) => string

  /** `because` is the reason in a result, as users read it. */
  constructor(checks: readonly Check<Facts, Result>[], because: (result: Result) => string) {
    this.checks = checks
    this.#because = because
  }

  /** A chain of functions by name, in their order. */
  static of<Facts, Result>(
    checks: Readonly<Record<string, Check<Facts, Result>['decide']>>,
    because: (result: Result) => string,
  ): DecisionChain<Facts, Result> {
    const named = Object.entries(checks).map(([name, decide]) => ({ name, decide }))
    return new DecisionChain(named, because)
  }

  /** The names of the checks, in the order in which they are evaluated. */
  get names(): readonly string[] {
    return this.checks.map(({ name }) => name)
  }

  evaluate(facts: Facts): Decided<Result> | undefined {
    for (const { name, decide } of this.checks) {
      const result = decide(facts)
      if (result !== undefined) return { check: name, result }
    }
    return undefined
  }

  /** Every check up to the first that decides. */
  explain(facts: Facts): Verdict[] {
    const verdicts: Verdict[] = []
    for (const { name, decide, passes } of this.checks) {
      const result = decide(facts)
      if (result !== undefined) {
        verdicts.push({ check: name, passed: false, because: this.#because(result) })
        break
      }
      verdicts.push({ check: name, passed: true, because: passes?.(facts) ?? '' })
    }
    return verdicts
  }
}
