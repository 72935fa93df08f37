/** `1,997` */
export const count = (number: number): string => number.toLocaleString('en-US')

/** `1 node`, `7 nodes`. */
export const plural = (number: number, what: string): string =>
  `${count(number)} ${what}${number === 1 ? '' : 's'}`

/** `a, b and 3 more` */
export function joinNames(names: readonly string[], limit: number, total = names.length): string {
  const shown = names.slice(0, limit)
  const more = total - shown.length
  return more > 0 ? `${shown.join(', ')} and ${count(more)} more` : shown.join(', ')
}

/** `a (why), b and 3 more` */
export function nodesWithReasons(
  all: readonly { readonly node: string; readonly why?: string | undefined }[],
  limit: number,
  total = all.length,
): string {
  const names = all.slice(0, limit).map(({ node, why }) => (why ? `${node} (${why})` : node))
  return joinNames(names, limit, total)
}
