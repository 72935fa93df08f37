/** A DER element: its tag byte, its content, and the whole encoding with tag and length. */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
  readonly whole: Uint8Array
}

/** The bytes are not valid DER. The messages follow Go's encoding/asn1. */
export class DerError extends Error {
  constructor(problem: string) {
    super(`asn1: ${problem}`)
    this.name = 'DerError'
  }
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific tag 0, constructed. */
  optional0: 0xa0,
} as const

/** All consecutive elements. */
export function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = []
  for (let rest = bytes; rest.length > 0;) {
    const element = readFirst(rest)
    elements.push(element)
    rest = rest.subarray(element.whole.length)
  }
  return elements
}

/** The single element with the expected tag that the bytes consist of. */
export function readOnly(bytes: Uint8Array, tag: number): DerElement {
  const element = readFirst(bytes)
  if (element.tag !== tag) throw otherTag(tag, element.tag)
  if (element.whole.length < bytes.length) throw new DerError('syntax error: trailing data')
  return element
}

/** The members of an element. Throws if a tag differs from the expected one. */
export function readMembers(
  { content }: DerElement,
  expected: readonly (number | undefined)[],
): DerElement[] {
  const members = readElements(content)
  if (members.length < expected.length) throw new DerError('syntax error: sequence truncated')
  expected.forEach((tag, place) => {
    const found = members[place]!.tag
    if (tag !== undefined && tag !== found) throw otherTag(tag, found)
  })
  return members
}

/** An object identifier in dotted form, such as `2.5.4.10`. */
export function objectIdentifier({ content }: DerElement): string {
  const arcs: number[] = []
  let arc = 0
  content.forEach((byte, place) => {
    if (arc > maxArc) throw new DerError('structure error: base 128 integer too large')
    arc = arc * 128 + (byte & 0x7f)
    if (byte & 0x80) {
      if (place === content.length - 1) throw truncated()
      return
    }
    if (arcs.length === 0) arcs.push(Math.min(Math.floor(arc / 40), 2))
    arcs.push(arcs.length === 1 ? arc - 40 * arcs[0]! : arc)
    arc = 0
  })
  if (arcs.length === 0) throw new DerError('syntax error: zero length OBJECT IDENTIFIER')
  return arcs.join('.')
}

/** The bytes of a bit string without padding bits. */
export function wholeBytes({ content }: DerElement): Uint8Array {
  if (content.length === 0) throw new DerError('syntax error: zero length BIT STRING')
  if (content[0] !== 0) throw new DerError('syntax error: invalid padding bits in BIT STRING')
  return content.subarray(1)
}

const maxArc = 2 ** 31
const maxLengthBytes = 4

function readFirst(bytes: Uint8Array): DerElement {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) throw truncated()
  if ((tag & 0x1f) === 0x1f) throw new DerError('structure error: tags of many bytes')
  const { length, from } = first < 0x80 ? { length: first, from: 2 } : longLength(bytes, first)
  const end = from + length
  if (end > bytes.length) throw truncated()
  return { tag, content: bytes.subarray(from, end), whole: bytes.subarray(0, end) }
}

/** DER requires the shortest encoding of a length. */
function longLength(bytes: Uint8Array, first: number): { length: number; from: number } {
  const count = first & 0x7f
  if (count === 0) throw new DerError('syntax error: indefinite length found (not DER)')
  if (count > maxLengthBytes) throw new DerError('structure error: length too large')
  const digits = bytes.subarray(2, 2 + count)
  if (digits.length < count) throw truncated()
  if (digits[0] === 0) throw new DerError('structure error: superfluous leading zeros in length')
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
  if (length < 0x80) throw new DerError('structure error: non-minimal length')
  return { length, from: 2 + count }
}

const truncated = (): DerError => new DerError('syntax error: data truncated')

const otherTag = (expected: number, found: number): DerError =>
  new DerError(`structure error: tags don't match (${expected & 0x1f} vs ${found & 0x1f})`)
