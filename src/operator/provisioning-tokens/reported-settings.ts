/** Remembers the reported problems of settings, so that each is reported once. */
export class ReportedSettings {
  readonly #reported = new Map<string, readonly string[]>()

  /** The problems that were not there at the last call for this pool. */
  newProblems(pool: string, problems: readonly string[]): string[] {
    const before = this.#reported.get(pool) ?? []
    if (problems.length > 0) this.#reported.set(pool, problems)
    else this.#reported.delete(pool)
    return problems.filter((problem) => !before.includes(problem))
  }

  forget(pool: string): void {
    this.#reported.delete(pool)
  }
}
