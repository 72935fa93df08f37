/** Where in an object a value stands. */
export interface Place {
  /** `spec.pinnedImages[0].name`; empty at the root. */
  readonly path: string
  /** Left out of the path where a message speaks of `x in body`: a status is validated by itself. */
  readonly prefix: string
}

/** The name of the place as messages have it. */
export function nameOf({ path, prefix }: Place): string {
  return prefix !== '' && path.startsWith(`${prefix}.`) ? path.slice(prefix.length + 1) : path
}

export function memberPlace({ path, prefix }: Place, key: string): Place {
  return { path: path === '' ? key : `${path}.${key}`, prefix }
}

export function itemPlace({ path, prefix }: Place, index: number): Place {
  return { path: `${path}[${index}]`, prefix }
}
