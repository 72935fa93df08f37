/** A list of strings in Go's `%q` format: `["a" "b"]`. */
export function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}
