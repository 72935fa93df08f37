/** What one of the inputs says about one place of the config. */
export interface Layer<T> {
  readonly value: T
  /** Which input: its position in the list. */
  readonly from: number
}

/**
 * Hears how a merge came to its result. A path is made of field names and of the keys of items, as in
 * `storage`, `files`, `/etc/motd`, `mode`.
 */
export interface MergeTrace {
  /** The value at `path` is that of input `from`. */
  decided(path: readonly string[], from: number): void
  /** What input `from` had put at `path` is not in the result, because of input `by`. */
  removed(path: readonly string[], from: number, by: number): void
}

/** What stays the same all the way down, and where we are; the path is kept only for a trace. */
export interface MergeContext {
  readonly path: readonly string[]
  readonly trace: MergeTrace | undefined
  readonly contentsAsOne: boolean
}

export function below(context: MergeContext, step: string): MergeContext {
  return context.trace ? { ...context, path: [...context.path, step] } : context
}
