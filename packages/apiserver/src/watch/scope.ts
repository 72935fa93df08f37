/** The keys of a list or watch: all keys below a prefix, which ends with a slash, or a single key. */
export type Scope = string

export const isPrefix = (scope: Scope): boolean => scope.endsWith('/')

export const isWithin = (scope: Scope, key: string): boolean =>
  isPrefix(scope) ? key.startsWith(scope) : key === scope

/** Every scope of a key: the key and all its prefixes. */
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
