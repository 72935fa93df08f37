import { InvalidInput } from '@machinist/core/errors'

/** The 4 or 16 bytes of an IP address. Uses URL for validation, so that node:net is not loaded. */
export function addressBytes(text: string): Uint8Array {
  const hasValidCharacters = /^[0-9A-Fa-f.:]+$/.test(text)
  const isWellFormed = text.includes(':')
    ? URL.canParse(`http://[${text}]/`)
    : dotted.test(text) && URL.canParse(`http://${text}/`)
  if (!hasValidCharacters || !isWellFormed) throw new InvalidInput(`"${text}" is not an IP address`)
  if (!text.includes(':'))
    return Buffer.from(new URL(`http://${text}/`).hostname.split('.').map(Number))
  const [before = '', after] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const left = groups(before)
  const right = groups(after ?? '')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return Buffer.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff]))
}

/** Without leading zeros: URL would read `010` as octal. */
const dotted = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/

/** The text form of an IP address; IPv6 is compressed. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new InvalidInput('an IP address has 4 or 16 bytes')
  const text = Buffer.from(bytes).toString('hex').match(/.{4}/g)!.join(':')
  return new URL(`http://[${text}]/`).hostname.slice(1, -1)
}

const groups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
