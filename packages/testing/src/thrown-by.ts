/** The error that a function throws; undefined if it returns. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}
