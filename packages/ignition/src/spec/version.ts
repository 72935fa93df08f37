/** The supported versions of Ignition spec 3, oldest first. */
export const specs = ['3.0', '3.1', '3.2', '3.3', '3.4', '3.5'] as const

export type Spec = (typeof specs)[number]

/** The version that all code of this package works with. */
export const internalSpec = '3.5' satisfies Spec

/** The value of `ignition.version`: `3.5.0`. */
export const versionText = (spec: Spec): string => `${spec}.0`

/** The spec of a version such as `3.2.0`. */
export function specOf(version: string): Spec | undefined {
  return specs.find((spec) => versionText(spec) === version)
}

/** The spec of a version, with the lenient rules of Ignition: `03.2.0` and `3.2.0-` are also valid. */
export function readVersion(version: string): Spec | undefined {
  const minor = /^0*3\.0*([0-9])\.0+-?\+?$/.exec(version)?.[1]
  return minor === undefined ? undefined : specOf(`3.${minor}.0`)
}

export function specAtLeast(spec: Spec, least: Spec): boolean {
  return specs.indexOf(spec) >= specs.indexOf(least)
}
