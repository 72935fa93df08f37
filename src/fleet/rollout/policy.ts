/** One named question of a chain. Whether it holds is cheap to tell; why is told only to people. */
export interface Policy<Subject> {
  readonly name: string
  readonly holds: (subject: Subject) => boolean
  readonly because: (subject: Subject, holds: boolean) => string
}

/** One line of an explanation. */
export interface Verdict {
  readonly policy: string
  readonly passed: boolean
  readonly because: string
}

export function firstFailure<Subject>(
  chain: readonly Policy<Subject>[],
  subject: Subject,
): Policy<Subject> | undefined {
  return chain.find((policy) => !policy.holds(subject))
}

/** The chain up to the first policy that fails, which is the reason why nothing happens. */
export function explained<Subject>(chain: readonly Policy<Subject>[], subject: Subject): Verdict[] {
  const verdicts: Verdict[] = []
  for (const policy of chain) {
    const passed = policy.holds(subject)
    verdicts.push({ policy: policy.name, passed, because: policy.because(subject, passed) })
    if (!passed) break
  }
  return verdicts
}
