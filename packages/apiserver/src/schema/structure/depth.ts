/** Deeper objects are rejected, since recursion is limited by the stack. */
export const deepest = 500

/** Not recursive, so that any depth can be checked. */
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
