/** A terminal to draw on. Its size may change at any time, and some terminals do not report one. */
export interface Window {
  readonly columns: number
  readonly rows: number
  /** Terminals of a process announce a new size; plain sizes in tests need not. */
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

export const widthOf = ({ columns }: Window): number => columns || 80

/** Lines of a picture that can still be drawn over: the cursor stays below, and the prompt above. */
export const linesOf = ({ rows }: Window): number => Math.max((rows || 24) - 2, 5)

const clearScreen = '\u001b[H\u001b[2J'

/** Draws each picture over the one before, so that the output above it stays. */
export function redrawing(
  out: (text: string) => void,
  window: Window,
): (picture: readonly string[]) => void {
  let before: readonly string[] = []
  let size = ''
  return (picture) => {
    const most = linesOf(window)
    const lines =
      picture.length > most
        ? [...picture.slice(0, most - 1), `… and ${picture.length - most + 1} more lines`]
        : picture
    const isResized = size !== '' && size !== sizeOf(window)
    size = sizeOf(window)
    if (!isResized && sameLines(before, lines)) return
    // A terminal that was resized has wrapped the old lines in its own way: where they begin is unknown.
    const start = isResized ? clearScreen : before.length > 0 ? `\u001b[${before.length}F` : ''
    out(`${start}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`)
    before = lines
  }
}

const sizeOf = ({ columns, rows }: Window): string => `${columns}x${rows}`

const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i])
