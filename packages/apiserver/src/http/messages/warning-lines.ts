/** Total length limit of the warnings of a response; beyond it each one is truncated. */
const maxTotal = 4096
const maxEach = 256

/** Values of the `Warning` header. Warnings can contain client input. */
export function warningLines(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)]
  const isTooMuch = texts.reduce((sum, text) => sum + text.length, 0) > maxTotal
  let room = maxTotal
  const lines: string[] = []
  for (const text of texts) {
    const truncated = isTooMuch ? text.slice(0, maxEach) : text
    room -= truncated.length
    if (room < 0) break
    lines.push(`299 - ${asHeader(JSON.stringify(truncated.replaceAll(/\p{Cc}/gu, ' ')))}`)
  }
  return lines
}

/** Node writes headers as latin1, so UTF-8 is encoded byte by byte. */
const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
