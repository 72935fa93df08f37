/** Text attributes on a terminal. Other outputs get plain text. */
export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly red: Paint
  readonly cyan: Paint
}

export type Paint = (text: string) => string

/** Follows https://no-color.org: no colors if NO_COLOR is set or the output is not a terminal. */
export function styleFor(
  output: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const isColored =
    output.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'
  return isColored ? colorStyle : plainStyle
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

export const colorStyle: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  green: paint(32, 39),
  yellow: paint(33, 39),
  red: paint(31, 39),
  cyan: paint(36, 39),
}

/** Escapes control characters, so that a file name or content cannot move the cursor or reverse the text. */
export function escapeControls(text: string): string {
  return text.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })
}

/** Breaks a text at spaces to fit the width. A word that is too long stays whole. */
export function wrapText(text: string, width: number): string[] {
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
