/** The value of one input at one place of the config. */
export interface Layer<T> {
  readonly value: T
  /** Index of the input. */
  readonly from: number
}

/**
 * Receives the decisions of a merge. A path consists of field names and keys of items, such as `storage`, `files`, `/etc/motd`,
 * `mode`.
 */
export interface MergeTrace {
  /** The value at `path` comes from input `from`. */
  decided(path: readonly string[], from: number): void
  /** Input `by` removed the value of input `from` at `path`. */
  removed(path: readonly string[], from: number, by: number): void
}

/** The options of a merge and the current path, which is maintained only for a trace. */
export interface MergeContext {
  readonly path: readonly string[]
  readonly trace: MergeTrace | undefined
  readonly contentsAsOne: boolean
}

export function below(context: MergeContext, step: string): MergeContext {
  return context.trace ? { ...context, path: [...context.path, step] } : context
}
