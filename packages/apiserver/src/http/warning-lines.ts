/** All warnings of an answer together may have this many characters; when they have more, each is cut. */
const mostTogether = 4096
const mostEach = 256

/** The values of the `Warning` header. Clients name fields as they like, so anything may be in such a text. */
export function warningLines(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)]
  const isTooMuch = texts.reduce((sum, text) => sum + text.length, 0) > mostTogether
  let room = mostTogether
  const lines: string[] = []
  for (const text of texts) {
    const shown = isTooMuch ? text.slice(0, mostEach) : text
    room -= shown.length
    if (room < 0) break
    lines.push(`299 - ${asHeader(JSON.stringify(shown.replaceAll(/\p{Cc}/gu, ' ')))}`)
  }
  return lines
}

/** Headers are bytes, of which Node takes one per character: so UTF-8 has to be spelled out. */
const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
