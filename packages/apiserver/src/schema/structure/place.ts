/** The position of a value in an object. */
export interface Place {
  /** `spec.pinnedImages[0].name`; empty at the root. */
  readonly path: string
  /** Removed from the path in `x in body` messages: a status is validated on its own. */
  readonly prefix: string
}

/** The path as messages show it. */
export function nameOf({ path, prefix }: Place): string {
  return prefix !== '' && path.startsWith(`${prefix}.`) ? path.slice(prefix.length + 1) : path
}

export function memberPlace({ path, prefix }: Place, key: string): Place {
  return { path: path === '' ? key : `${path}.${key}`, prefix }
}

export function itemPlace({ path, prefix }: Place, index: number): Place {
  return { path: `${path}[${index}]`, prefix }
}
