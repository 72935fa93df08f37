/** The version of spec 2 that this package writes. */
export const spec2Version = '2.2.0'

/** The versions that parse as 2.2: older versions are subsets of it. */
export const readableSpec2Versions: readonly string[] = ['2.0.0', '2.1.0', spec2Version]
