/** The versions of the Ignition spec that are read and written, oldest first. */
export const specs = ['3.0', '3.1', '3.2', '3.3', '3.4', '3.5'] as const

export type Spec = (typeof specs)[number]

/** What everything inside works with. */
export const internalSpec = '3.5' satisfies Spec

/** `3.5.0`, as it stands in `ignition.version`. */
export const versionText = (spec: Spec): string => `${spec}.0`

/** The spec that a text such as `3.2.0` names. */
export function specOf(version: string): Spec | undefined {
  return specs.find((spec) => versionText(spec) === version)
}

/** The same by the looser rules that Ignition reads a version with: `03.2.0` and `3.2.0-` pass as well. */
export function readVersion(version: string): Spec | undefined {
  const minor = /^0*3\.0*([0-9])\.0+-?\+?$/.exec(version)?.[1]
  return minor === undefined ? undefined : specOf(`3.${minor}.0`)
}

export function specAtLeast(spec: Spec, least: Spec): boolean {
  return specs.indexOf(spec) >= specs.indexOf(least)
}
