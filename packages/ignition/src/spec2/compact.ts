/** Removes members that are undefined, an empty list or an empty struct. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => !isEmpty(inner))) as T
}

/** `undefined` for an empty string, zero or false, which are equivalent to absent in one of the two specs. */
export function nonZero<T extends string | number | boolean>(value: T | undefined): T | undefined {
  return value === '' || value === 0 || value === false ? undefined : value
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}
