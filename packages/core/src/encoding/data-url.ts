import { InvalidInput } from '../errors.ts'
import { decodeBase64, isBase64 } from './bytes.ts'

/** A `data:` URL (RFC 2397), parsed with the rules of Ignition, which differ from those of browsers. */
export interface DataUrl {
  /** Defaults to `text/plain`. */
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export function decodeDataUrl(url: string): DataUrl {
  const parts = split(url)
  if (typeof parts === 'string') throw new InvalidInput(`not a valid data URL: ${parts}`)
  const data = url.slice(parts.dataAt)
  return {
    mediaType: parts.mediaType ?? 'text/plain',
    bytes: parts.base64 ? decodeBase64(data) : percentDecoded(data),
  }
}

/** The problem with a `data:` URL, or undefined. Cheaper than decoding. Never quotes the data. */
export function dataUrlProblem(url: string): string | undefined {
  const parts = split(url)
  return typeof parts === 'string' ? parts : undefined
}

/** A `data:,` URL. All characters except letters, digits and `-_.!~*'()` are percent-encoded. */
export function encodeDataUrl(content: string | Uint8Array): string {
  if (typeof content === 'string') return `data:,${encodeURIComponent(content.toWellFormed())}`
  let url = 'data:,'
  for (const byte of content) {
    const char = String.fromCharCode(byte)
    url += byte < 0x80 ? encodeURIComponent(char) : `%${byte.toString(16).toUpperCase()}`
  }
  return url
}

interface Parts {
  readonly mediaType?: string
  readonly base64: boolean
  readonly dataAt: number
}

const token = "[!#$%&'*+\\-.0-9A-Z^_`a-z{|}~]"
// Ignition checks the known types as prefixes only: `textile/x` is valid.
const knownType = '(?:text|image|audio|video|application|message|multipart)'
const mediaTypePattern = new RegExp(`(?:[xX]-|${knownType})${token}*/${token}*(?=[;,])`, 'y')
const attributePattern = new RegExp(`${token}+(?=[=,])`, 'y')
const valuePattern = new RegExp(`${token}+(?=[;,])`, 'y')
const badEscape = /%(?![0-9A-Fa-f]{2})/
const notUrlCharacter = /[^!$-;=?-Z_a-z~]/

/** The parts of a URL, or the problem with it. */
function split(url: string): Parts | string {
  if (!url.startsWith('data:')) return 'it does not start with "data:"'
  let at = 'data:'.length
  let mediaType: string | undefined
  if (url[at] !== ';' && url[at] !== ',') {
    mediaType = match(mediaTypePattern, url, at)
    if (mediaType === undefined) return 'its media type is not valid, or the comma is missing'
    at += mediaType.length
  }
  const parameters = readParameters(url, at)
  if (typeof parameters === 'string') return parameters
  const dataAt = parameters.end + 1
  const problem = dataProblem(url.slice(dataAt), parameters.base64)
  return problem ?? { ...(mediaType && { mediaType }), base64: parameters.base64, dataAt }
}

/** Parses `;name=value;base64` up to the comma; `base64` must be last. */
function readParameters(url: string, start: number): { base64: boolean; end: number } | string {
  let at = start
  let afterEmpty = false
  while (url[at] === ';') {
    const parameter = readParameter(url, at + 1, afterEmpty)
    if (!parameter) return 'one of its parameters is not valid'
    if (parameter.base64) return parameter
    at = parameter.end
    afterEmpty = parameter.empty
  }
  return url[at] === ',' ? { base64: false, end: at } : 'the comma before the data is missing'
}

interface Parameter {
  readonly base64: boolean
  readonly empty: boolean
  readonly end: number
}

/** Ignition's library also treats the value after an empty quoted value as quoted. This function does the same. */
function readParameter(url: string, at: number, afterEmpty: boolean): Parameter | undefined {
  const name = match(attributePattern, url, at)
  if (name === undefined) return undefined
  const valueAt = at + name.length + 1
  if (url[valueAt - 1] === ',') {
    return name === 'base64' ? { base64: true, empty: false, end: valueAt - 1 } : undefined
  }
  const quoted = url[valueAt] === '"'
  const value = quoted ? quotedText(url, valueAt + 1) : match(valuePattern, url, valueAt)
  if (value === undefined || !isValue(value, quoted || afterEmpty)) return undefined
  const end = valueAt + value.length + (quoted ? 2 : 0)
  return { base64: false, empty: value === '', end }
}

const isValue = (value: string, quoted: boolean): boolean =>
  quoted ? isGoString(value) : !badEscape.test(value)

function dataProblem(data: string, base64: boolean): string | undefined {
  if (base64) return isBase64(data) ? undefined : 'its data is not valid base64'
  if (notUrlCharacter.test(data))
    return 'its data contains a character that must be percent-encoded'
  return badEscape.test(data) ? 'its data contains a "%" without two hexadecimal digits' : undefined
}

/** The text up to the closing quote, if it is ASCII and followed by another parameter or the data. */
function quotedText(url: string, start: number): string | undefined {
  for (let at = start; at < url.length && url.charCodeAt(at) < 0x80; at++) {
    if (url[at] === '"') return /[;,]/.test(url[at + 1] ?? '') ? url.slice(start, at) : undefined
    if (url[at] === '\\' && url.charCodeAt(++at) >= 0x80) return undefined
  }
  return undefined
}

/** Whether Go accepts this text between double quotes, which is the rule for quoted parameters. */
function isGoString(text: string): boolean {
  const unescaped = text.replaceAll(goEscape, '')
  return !unescaped.includes('\\') && !unescaped.includes('\n')
}

const goEscape =
  /\\(?:[abfnrtv\\"]|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|(?:u|U0000)(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}|U00(?:0[1-9A-Fa-f]|10)[0-9A-Fa-f]{4})/g

function percentDecoded(data: string): Uint8Array {
  if (!data.includes('%')) return Buffer.from(data, 'latin1')
  const bytes = Buffer.allocUnsafe(data.length)
  let length = 0
  for (let at = 0; at < data.length; at++) {
    const escaped = data[at] === '%'
    bytes[length++] = escaped
      ? Number.parseInt(data.slice(at + 1, at + 3), 16)
      : data.charCodeAt(at)
    if (escaped) at += 2
  }
  return bytes.subarray(0, length)
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
