import type { Paint, Style } from './style.ts'
import { escapeControls, wrapText } from './style.ts'

export interface Canvas {
  readonly style: Style
  /** Infinity if lines have no limit. */
  readonly width: number
}

/** A part of a line. Colors have no length. */
export type Piece = string | readonly [text: string, paint: Paint]

/** Pieces on one line, truncated at the width. */
export function line(pieces: readonly Piece[], width: number): string {
  let room = width
  let out = ''
  for (const piece of pieces) {
    const [text, paint] = typeof piece === 'string' ? [piece, asIs] : piece
    if (text === '') continue
    const shown = truncate(escapeControls(text).replaceAll('\t', ' '), room)
    if (shown !== '') out += paint(shown)
    room -= shown.length
  }
  return out.trimEnd()
}

/** A line whose last piece loses its middle if it does not fit, because its end matters most. */
export function lineWithEnding(
  pieces: readonly Piece[],
  [text, paint]: readonly [string, Paint],
  width: number,
): string {
  const used = pieces.reduce(
    (sum, each) => sum + (typeof each === 'string' ? each : each[0]).length,
    0,
  )
  return line(
    [...pieces, [truncateMiddle(escapeControls(text), Math.max(width - used, 1)), paint]],
    width,
  )
}

/** A label with wrapped text beside it, in at most `maxLines` lines. */
export function labelledLines(
  label: Piece,
  text: string,
  { width }: Canvas,
  paint: Paint = asIs,
  maxLines = Infinity,
): string[] {
  const name = typeof label === 'string' ? label : label[0]
  const room = Math.max(width - name.length, 20)
  const all = wrapText(escapeControls(text).replaceAll(/\s+/g, ' '), room)
  const lines = all.slice(0, maxLines)
  if (all.length > maxLines) lines[maxLines - 1] = truncate(`${lines[maxLines - 1]} …`, room)
  return lines.map((each, i) =>
    line([i === 0 ? label : ' '.repeat(name.length), [truncateMiddle(each, room), paint]], width),
  )
}

const asIs: Paint = (text) => text

/** Cuts a text at the width, with an ellipsis. */
export const truncate = (text: string, width: number): string =>
  text.length <= width ? text : width <= 0 ? '' : `${text.slice(0, width - 1)}…`

/** Drops the middle of a text that does not fit: names differ at their ends. */
export function truncateMiddle(text: string, width: number): string {
  if (text.length <= width) return text
  const half = Math.floor((width - 1) / 2)
  return `${text.slice(0, width - 1 - half)}…${text.slice(text.length - half)}`
}
