/**
 * What a list or a watch is about: all keys below a prefix, which ends with a slash, or the one key that it names in full.
 */
export type Scope = string

export const isPrefix = (scope: Scope): boolean => scope.endsWith('/')

export const isWithin = (scope: Scope, key: string): boolean =>
  isPrefix(scope) ? key.startsWith(scope) : key === scope

/** Every scope that a key is in: the key, and all its prefixes. */
export function* scopesOf(key: string): Iterable<Scope> {
  yield key
  for (
    let end = key.lastIndexOf('/');
    end >= 0;
    end = end > 0 ? key.lastIndexOf('/', end - 1) : -1
  ) {
    yield key.slice(0, end + 1)
  }
}
