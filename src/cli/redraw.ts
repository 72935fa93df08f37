/** What can be drawn on. Its size may change at any time, and some do not know it. */
export interface Window {
  readonly columns: number
  readonly rows: number
}

export const widthOf = ({ columns }: Window): number => columns || 80

/** Goes back to where the last picture began and draws over it, so that what was printed before stays. */
export function redrawing(
  out: (text: string) => void,
  window: Window,
): (picture: readonly string[]) => void {
  let before: readonly string[] = []
  return (picture) => {
    // More than fits could not be drawn over any more.
    const most = Math.max((window.rows || 24) - 2, 5)
    const lines =
      picture.length > most
        ? [...picture.slice(0, most - 1), `… and ${picture.length - most + 1} more lines`]
        : picture
    if (before.length === lines.length && lines.every((line, i) => line === before[i])) return
    const back = before.length > 0 ? `\u001b[${before.length}F` : ''
    out(`${back}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`)
    before = lines
  }
}
