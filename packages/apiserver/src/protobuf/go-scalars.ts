/** A number in its original notation, which JavaScript would lose: `80.0`, `1e3`, `9223372036854775808`. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The name of a JSON type in errors of Go's decoder. */
export function valueName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (isNumber(value)) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

export const isNumber = (value: unknown): value is number | NumberText =>
  typeof value === 'number' || value instanceof NumberText

/** `number 1.5` if a number does not fit the type; undefined if it does. */
export function numberProblem(
  value: number | NumberText,
  type: keyof typeof ranges,
): string | undefined {
  const text = value instanceof NumberText ? value.text : String(value)
  if (!/^-?\d+$/.test(text)) return `number ${text}`
  const [least, most] = ranges[type]
  const whole = BigInt(text)
  return whole < least || whole > most ? `number ${text}` : undefined
}

const ranges = {
  uint8: [0n, 255n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const

/** Go's error for an invalid quantity. */
export function quantityProblem(text: string): string | undefined {
  const parts = /^[+-]?\d*(?:\.\d*)?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/.exec(text)
  if (text === '' || !parts) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  }
  const known = /^(?:[numkMGTPE]?|[KMGTPE]i|[eE][-+]?\d+)$/.test(parts[1] ?? '')
  return known ? undefined : "unable to parse quantity's suffix"
}

/** Go's error for invalid base64: it counts bytes, ignores line breaks and requires padding. */
export function base64Problem(text: string): string | undefined {
  // Fast path for valid input.
  if (text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text) && text !== '====') {
    return undefined
  }
  const at = badByte(Buffer.from(text))
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`
}

function badByte(bytes: Buffer): number | undefined {
  let at = 0
  const skipBreaks = (): void => {
    while (bytes[at] === 10 || bytes[at] === 13) at++
  }
  for (let digits = 0; ; digits = (digits + 1) % 4) {
    skipBreaks()
    if (at === bytes.length) return digits === 0 ? undefined : at - digits
    const char = String.fromCharCode(bytes[at]!)
    at++
    if (/[A-Za-z\d+/]/.test(char)) continue
    if (char !== '=' || digits < 2) return at - 1
    skipBreaks()
    if (digits === 2) {
      if (at === bytes.length) return at
      if (bytes[at] !== 61) return at - 1
      at++
      skipBreaks()
    }
    return at < bytes.length ? at : undefined
  }
}
