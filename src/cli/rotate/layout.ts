import type { Paint, Style } from '../style.ts'
import { harmless, wrapped } from '../style.ts'

export interface Canvas {
  readonly style: Style
  /** Infinity where lines may be as long as they are. */
  readonly width: number
}

/** A part of a line; colours have no length. */
export type Piece = string | readonly [text: string, paint: Paint]

/** Pieces side by side, cut where the line ends. */
export function line(pieces: readonly Piece[], width: number): string {
  let room = width
  let out = ''
  for (const piece of pieces) {
    const [text, paint] = typeof piece === 'string' ? [piece, asIs] : piece
    if (text === '') continue
    const shown = cut(harmless(text).replaceAll('\t', ' '), room)
    if (shown !== '') out += paint(shown)
    room -= shown.length
  }
  return out.trimEnd()
}

/** The last piece is a text of which the end says most: it loses its middle. */
export function endingLine(
  pieces: readonly Piece[],
  [text, paint]: readonly [string, Paint],
  width: number,
): string {
  const used = pieces.reduce(
    (sum, each) => sum + (typeof each === 'string' ? each : each[0]).length,
    0,
  )
  return line([...pieces, [inTheMiddle(harmless(text), Math.max(width - used, 1)), paint]], width)
}

/** A label, and a text beside it in as many lines as it takes, or as many as are allowed. */
export function beside(
  label: Piece,
  text: string,
  { width }: Canvas,
  paint: Paint = asIs,
  most = Infinity,
): string[] {
  const name = typeof label === 'string' ? label : label[0]
  const room = Math.max(width - name.length, 20)
  const all = wrapped(harmless(text).replaceAll(/\s+/g, ' '), room)
  const lines = all.slice(0, most)
  if (all.length > most) lines[most - 1] = cut(`${lines[most - 1]} …`, room)
  return lines.map((each, i) =>
    line([i === 0 ? label : ' '.repeat(name.length), [inTheMiddle(each, room), paint]], width),
  )
}

const asIs: Paint = (text) => text

const cut = (text: string, width: number): string =>
  text.length <= width ? text : width <= 0 ? '' : `${text.slice(0, width - 1)}…`

/** A word that is longer than a line loses its middle: names differ at their ends. */
function inTheMiddle(text: string, width: number): string {
  if (text.length <= width) return text
  const half = Math.floor((width - 1) / 2)
  return `${text.slice(0, width - 1 - half)}…${text.slice(text.length - half)}`
}
