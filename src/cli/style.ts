/** What texts look like on a terminal; on anything else they are plain. */
export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly red: Paint
  readonly cyan: Paint
}

export type Paint = (text: string) => string

/** As https://no-color.org asks for: no colours where NO_COLOR is set, nor where no person looks. */
export function styleFor(
  output: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const wanted = output.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'
  return wanted ? coloured : plainStyle
}

const asIs: Paint = (text) => text

export const plainStyle: Style = {
  bold: asIs,
  dim: asIs,
  green: asIs,
  yellow: asIs,
  red: asIs,
  cyan: asIs,
}

const paint =
  (on: number, off: number): Paint =>
  (text) =>
    `\u001b[${on}m${text}\u001b[${off}m`

export const coloured: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  green: paint(32, 39),
  yellow: paint(33, 39),
  red: paint(31, 39),
  cyan: paint(36, 39),
}

/** Nobody's file name or content moves the cursor or turns the text around. */
export function harmless(text: string): string {
  return text.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })
}

/** Breaks a text at spaces so that it fits; a word that is too long stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
