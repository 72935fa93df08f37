/** Without members that are undefined, an empty list or an empty struct: what is left is what is said. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => !isNothing(inner))) as T
}

/** Nothing instead of an empty text, a zero or false, which in one of the two specs mean the same. */
export function nonZero<T extends string | number | boolean>(value: T | undefined): T | undefined {
  return value === '' || value === 0 || value === false ? undefined : value
}

function isNothing(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}
