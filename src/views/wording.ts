/** `1,997` */
export const count = (number: number): string => number.toLocaleString('en-US')

/** `1 node`, `7 nodes`. */
export const plural = (number: number, what: string): string =>
  `${count(number)} ${what}${number === 1 ? '' : 's'}`

/** `a (why), b and 3 more` */
export function named(
  all: readonly { readonly node: string; readonly why?: string | undefined }[],
  most: number,
  total = all.length,
): string {
  const shown = all.slice(0, most).map(({ node, why }) => (why ? `${node} (${why})` : node))
  const more = total - shown.length
  return more > 0 ? `${shown.join(', ')} and ${count(more)} more` : shown.join(', ')
}
