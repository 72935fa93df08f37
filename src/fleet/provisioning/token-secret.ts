import type { ObjectKey } from '@machinist/core/objects/resource'
import { readTimestamp } from '@machinist/core/timestamp'
import type { Secret } from '@machinist/kube/kinds/core'
import { provisioningTokenAnnotations as annotations } from '../../api/annotations.ts'
import { ownLabels } from '../../api/labels.ts'
import { namespaces, provisioningToken } from '../../api/names.ts'
import type { AddressRange } from '../network/address-range.ts'
import { parseRange } from '../network/address-range.ts'
import { isToken } from './token-text.ts'

/** The content of a provisioning token Secret. Times are in milliseconds since the epoch. */
export interface ProvisioningToken {
  /** The name of the Secret. */
  readonly name: string
  readonly pool: string
  readonly current: string
  readonly previous?: PreviousToken
  readonly issuedAt?: number
  readonly expiresAt?: number
  /** Client addresses that may use the token; all if undefined. */
  readonly ranges?: readonly AddressRange[]
  readonly isSingleUse: boolean
  /** The use of a single-use token. */
  readonly used?: TokenUse
  /** The Secret is being deleted. */
  readonly isRevoked: boolean
}

export interface PreviousToken {
  readonly text: string
  readonly validUntil: number
}

export interface TokenUse {
  /** Undefined if the time is not readable. */
  readonly at: number | undefined
  readonly by: string
}

export type TokenReading =
  | { readonly type: 'token'; readonly token: ProvisioningToken }
  /** The Secret is not accepted. The problem names the field, and never quotes a token. */
  | { readonly type: 'invalid'; readonly problem: string }

/** The Secret that the operator maintains for a pool. */
export function managedTokenKey(pool: string): ObjectKey {
  const name = `${provisioningToken.managedPrefix}${pool}`
  return { namespace: namespaces.provisioning, name }
}

/** The pool of a Secret that the operator maintains; undefined if a user created the Secret. */
export function managedTokenPool({ metadata }: Readonly<Secret>): string | undefined {
  const pool = metadata.labels?.[ownLabels.pool]
  return pool && metadata.name === managedTokenKey(pool).name ? pool : undefined
}

/** Reads a token Secret. A limit that is not readable makes the Secret invalid: it must not be accepted without the limit. */
export function readTokenSecret(secret: Readonly<Secret>): TokenReading {
  const { metadata, type, data = {} } = secret
  const pool = metadata.labels?.[ownLabels.pool] ?? ''
  const current = textIn(data[provisioningToken.keys.current])
  if (type !== provisioningToken.type) return invalid(`type must be ${provisioningToken.type}`)
  if (pool === '') return invalid(`label ${ownLabels.pool} must name the pool`)
  if (!isToken(current))
    return invalid('data.token must have 32 to 256 characters of A-Z, a-z, 0-9, - and _')
  const limits = readLimits(metadata.annotations ?? {})
  if (typeof limits === 'string') return invalid(limits)
  const previous = readPrevious(secret)
  const issuedAt = readTimestamp(metadata.annotations?.[annotations.issuedAt] ?? '')
  return {
    type: 'token',
    token: {
      name: metadata.name,
      pool,
      current,
      ...(previous && { previous }),
      ...(issuedAt !== undefined && { issuedAt }),
      ...limits,
      isRevoked: metadata.deletionTimestamp !== undefined,
    },
  }
}

const invalid = (problem: string): TokenReading => ({ type: 'invalid', problem })

type TokenLimits = Pick<ProvisioningToken, 'expiresAt' | 'ranges' | 'isSingleUse' | 'used'>

/** Returns the problem if a limit is not readable. */
function readLimits(given: Readonly<Record<string, string>>): TokenLimits | string {
  const {
    [annotations.expiresAt]: expires,
    [annotations.cidrs]: cidrs,
    [annotations.uses]: uses,
  } = given
  const expiresAt = expires === undefined ? undefined : readTimestamp(expires)
  if (expires !== undefined && expiresAt === undefined)
    return `annotation ${annotations.expiresAt} must be a time such as 2026-01-01T00:00:00Z`
  const ranges = cidrs === undefined ? undefined : readRanges(cidrs)
  if (cidrs !== undefined && ranges === undefined)
    return `annotation ${annotations.cidrs} must be 1 to ${mostRanges} ranges such as 10.0.0.0/8,fd00::/8`
  if (uses !== undefined && uses !== singleUse)
    return `annotation ${annotations.uses} must be ${singleUse}, or absent`
  const used = readUse(given)
  return {
    ...(expiresAt !== undefined && { expiresAt }),
    ...(ranges && { ranges }),
    isSingleUse: uses === singleUse,
    ...(used && { used }),
  }
}

export const singleUse = '1'
/** Each request is compared with all of them. */
const mostRanges = 256

/** Ranges separated by commas; undefined if one is not a range, or there are none or too many. */
export function readRanges(text: string): AddressRange[] | undefined {
  const parts = text.split(',', mostRanges + 1)
  const ranges = parts.flatMap((part) => parseRange(part.trim()) ?? [])
  return ranges.length === parts.length && parts.length <= mostRanges ? ranges : undefined
}

/** Either annotation marks the token as used: a use that is recorded incompletely is a use. */
function readUse(given: Readonly<Record<string, string>>): TokenUse | undefined {
  const { [annotations.usedAt]: at, [annotations.usedBy]: by = '' } = given
  if (at === undefined && by === '') return undefined
  return { at: readTimestamp(at ?? ''), by }
}

/** Undefined without a readable end: the previous token must not be accepted forever. */
function readPrevious({ metadata, data = {} }: Readonly<Secret>): PreviousToken | undefined {
  const text = textIn(data[provisioningToken.keys.previous])
  const validUntil = readTimestamp(metadata.annotations?.[annotations.previousValidUntil] ?? '')
  return isToken(text) && validUntil !== undefined ? { text, validUntil } : undefined
}

/** White space around a token, such as the line feed of a file, is not part of it. */
const textIn = (base64: string | undefined): string =>
  Buffer.from(base64 ?? '', 'base64')
    .toString('latin1')
    .trim()
