/** A terminal that can be redrawn. Its size can change at any time; some terminals report none. */
export interface Window {
  readonly columns: number
  readonly rows: number
  /** The terminal of a process emits `resize`; the fixed sizes in tests do not. */
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

export const widthOf = ({ columns }: Window): number => columns || 80

/** Lines that can be overwritten: the cursor needs one line below the picture, the prompt one above. */
export const visibleLines = ({ rows }: Window): number => Math.max((rows || 24) - 2, 5)

const clearScreen = '\u001b[H\u001b[2J'

/** Draws each picture over the previous one and leaves the output above it in place. */
export function createRedraw(
  out: (text: string) => void,
  window: Window,
): (picture: readonly string[]) => void {
  let previous: readonly string[] = []
  let size = ''
  return (picture) => {
    const limit = visibleLines(window)
    const lines =
      picture.length > limit
        ? [...picture.slice(0, limit - 1), `… and ${picture.length - limit + 1} more lines`]
        : picture
    const isResized = size !== '' && size !== sizeOf(window)
    size = sizeOf(window)
    if (!isResized && sameLines(previous, lines)) return
    // A resized terminal has wrapped the old lines, so their first row is unknown.
    const start = isResized ? clearScreen : previous.length > 0 ? `\u001b[${previous.length}F` : ''
    out(`${start}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`)
    previous = lines
  }
}

const sizeOf = ({ columns, rows }: Window): string => `${columns}x${rows}`

const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i])
