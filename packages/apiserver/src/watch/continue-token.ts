import { posix } from 'node:path'
import { isObject } from '@machinist/core/encoding/json'
import { badRequest, StatusError } from '../status/status-error.ts'

/** Position of the next page of a list. */
export interface Continuation {
  /** The revision of the list; undefined for the newest, which is inconsistent with previous pages. */
  readonly revision: number | undefined
  /** The last key of the previous page, below the list's prefix. */
  readonly after: string
}

const version = 'meta.k8s.io/v1'

/** The token of the page after `key`, which begins with `prefix`. */
export function encodeContinue(prefix: string, key: string, revision: number | undefined): string {
  const start = `/${key.slice(prefix.length)}\u0000`
  const token = JSON.stringify({ v: version, rv: revision ?? inconsistent, start })
  return Buffer.from(token).toString('base64url')
}

const inconsistent = -1

/** Throws kube-apiserver's error for an invalid token. */
export function decodeContinue(token: string): Continuation {
  const { v, rv, start } = parse(fromBase64(token))
  if (v !== version) throw wrong(`server does not recognize this encoded version ${v}`)
  if (rv === 0) throw wrong(`incorrect encoded start resourceVersion (version ${version})`)
  if (start === '') throw wrong(`encoded start key empty (version ${version})`)
  const path = start.startsWith('/') ? start : `/${start}`
  // The token must not reach keys outside the prefix.
  if (posix.normalize(path) !== path) throw wrong(start)
  return { revision: rv < 0 ? undefined : rv, after: path.slice(1).split('\u0000', 1)[0]! }
}

/** The revision of the list was compacted. The token in this error continues with the newest revision. */
export class ExpiredContinue extends StatusError {
  /** For the metadata of the Status. */
  readonly continueToken: string

  constructor(continueToken: string) {
    super(
      410,
      'Expired',
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
        'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
        'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
        'deleted between the time the first chunk was returned and now may show up in the list.',
    )
    this.continueToken = continueToken
  }
}

const wrong = (why: string): StatusError =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`)

function fromBase64(token: string): Buffer {
  const illegal = token.search(/[^A-Za-z0-9_-]/)
  const at = illegal === -1 && token.length % 4 === 1 ? token.length - 1 : illegal
  if (at !== -1) throw wrong(`illegal base64 data at input byte ${at}`)
  return Buffer.from(token, 'base64url')
}

interface Token {
  readonly v: string
  readonly rv: number
  readonly start: string
}

function parse(bytes: Buffer): Token {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw wrong(whyNotJson(bytes))
  }
  if (parsed === null) return { v: '', rv: 0, start: '' }
  if (!isObject(parsed)) {
    throw wrong(
      `json: cannot unmarshal ${typeName(parsed)} into Go value of type storage.continueToken`,
    )
  }
  return {
    v: member(parsed, 'v', 'string', ''),
    rv: wholeNumber(parsed),
    start: member(parsed, 'start', 'string', ''),
  }
}

/** The most frequent errors of Go's JSON decoder. */
function whyNotJson(bytes: Buffer): string {
  const first = bytes.toString('latin1').trimStart()[0]
  if (first === undefined || /[{["\-0-9tfn]/.test(first)) return 'unexpected end of JSON input'
  const code = first.charCodeAt(0)
  const printed = code < 0x20 ? `\\x${code.toString(16).padStart(2, '0')}` : first
  return `invalid character '${printed}' looking for beginning of value`
}

function wholeNumber(token: Record<string, unknown>): number {
  const rv = member(token, 'rv', 'number', 0)
  if (Number.isSafeInteger(rv)) return rv
  throw wrong(
    `json: cannot unmarshal number ${rv} into Go struct field continueToken.rv of type int64`,
  )
}

function member<T extends string | number>(
  token: Record<string, unknown>,
  name: string,
  type: 'string' | 'number',
  absent: T,
): T {
  const value = Object.hasOwn(token, name) ? (token[name] ?? absent) : absent
  if (typeof value === type) return value as T
  const goType = type === 'number' ? 'int64' : 'string'
  throw wrong(
    `json: cannot unmarshal ${typeName(value)} into Go struct field continueToken.${name} of type ${goType}`,
  )
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
