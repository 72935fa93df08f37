/**
 * Where the embedded server differs from a real one: `topic: case` and why. Such a case must
 * fail there; when it passes, its line has to go. Anything that is not here and fails is a bug.
 */
export const differences: Readonly<Record<string, string>> = {}
