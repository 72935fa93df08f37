/** Deeper objects are refused, not walked: nobody writes them, and the stack is finite. */
export const deepest = 500

/** Looks without recursion, so that nothing can be too deep for it. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= deepest; depth++) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    )
    if (level.length === 0) return false
  }
  return true
}
