/**
 * Differences of the embedded server: `topic: case` and the reason. Such a case must fail there; remove the entry
 * once it passes. Any other failing case is a bug.
 */
export const differences: Readonly<Record<string, string>> = {}
