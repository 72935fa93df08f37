/** A list of texts as Go prints it with `%q`: `["a" "b"]`. */
export function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}
