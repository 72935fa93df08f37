/** The parts of `name@instance.type`. */
export interface UnitName {
  readonly full: string
  readonly prefix: string
  /** Empty for a template; undefined for a unit that is neither a template nor an instance. */
  readonly instance?: string
  readonly type: string
}

export function unitName(full: string): UnitName {
  const dot = full.lastIndexOf('.')
  const type = full.slice(dot + 1)
  const name = full.slice(0, dot)
  const at = name.indexOf('@')
  if (at === -1) return { full, prefix: name, type }
  return { full, prefix: name.slice(0, at), instance: name.slice(at + 1), type }
}

export const templateOf = ({ prefix, type }: UnitName): string => `${prefix}@.${type}`

/** Whether it is an instance of this template. */
export function isInstance(name: string, template: string): boolean {
  const parts = unitName(name)
  return Boolean(parts.instance) && templateOf(parts) === template
}

export const instanceOf = ({ prefix, type }: UnitName, instance: string): string =>
  `${prefix}@${instance}.${type}`

/** Expands the specifiers of an [Install] section. */
export function expand(text: string, { full, prefix, instance = '' }: UnitName): string {
  const values: Readonly<Record<string, string>> = {
    '%': '%',
    n: full,
    N: full.slice(0, full.lastIndexOf('.')),
    p: prefix,
    i: instance,
  }
  return text.replace(/%(.)/g, (whole, letter: string) => values[letter] ?? whole)
}
