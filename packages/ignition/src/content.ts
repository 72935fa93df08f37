import { createHash } from 'node:crypto'
import { gunzip } from '@machinist/core/encoding/bytes'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from './spec/config.ts'

/** Larger than any content that fits into a config object, and small enough for memory. */
export const maxContentBytes = 32 * 1024 * 1024

/** The content of a resource, or its URL if it is not inline. */
export type Content =
  | { readonly inline: true; readonly bytes: Uint8Array }
  | { readonly inline: false; readonly url: string }

/** The decoded and decompressed bytes. Without a source the content is empty. Never fetches a URL. */
export function contentOf(resource: Resource | undefined, maxBytes = maxContentBytes): Content {
  const source = resource?.source ?? ''
  if (source === '') return { inline: true, bytes: new Uint8Array() }
  if (!source.startsWith('data:')) return { inline: false, url: source }
  const { bytes } = decodeDataUrl(source)
  return { inline: true, bytes: decompress(bytes, resource?.compression, maxBytes) }
}

/** The bytes of inline content. Throws for a URL, because nodes do not fetch content. */
export function inlineContent(resource: Resource | undefined, maxBytes?: number): Uint8Array {
  const content = contentOf(resource, maxBytes)
  if (content.inline) return content.bytes
  throw notInline(content.url)
}

export const notInline = (url: string): InvalidInput =>
  new InvalidInput(
    `the content is not inline but at a ${url.split(':', 1)[0]}: URL; only data: URLs are supported here`,
  )

/** A source with these bytes, in the encoding that MachineConfigs usually have. */
export function base64Source(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content)
  return `data:text/plain;charset=utf-8;base64,${bytes.toString('base64')}`
}

export type HashCheckResult = 'matches' | 'differs' | 'no hash'

/** Compares bytes with the verification hash of a resource, which is the hash of the decompressed content. */
export function checkHash(resource: Resource, bytes: Uint8Array): HashCheckResult {
  const hash = resource.verification?.hash
  if (hash === undefined) return 'no hash'
  const [, algorithm, digest] = /^(sha512|sha256)-(.*)$/s.exec(hash) ?? []
  if (algorithm === undefined || digest === undefined) {
    throw new InvalidInput('the hash must have the form sha512-… or sha256-…')
  }
  const actual = createHash(algorithm).update(bytes).digest('hex')
  return actual === digest.toLowerCase() ? 'matches' : 'differs'
}

function decompress(
  bytes: Uint8Array,
  compression: string | undefined,
  maxBytes: number,
): Uint8Array {
  switch (compression ?? '') {
    case '':
      if (bytes.length > maxBytes)
        throw new InvalidInput(`the content is larger than ${maxBytes} bytes`)
      return bytes
    case 'gzip':
      return gunzip(bytes, maxBytes)
    default:
      throw new InvalidInput(`unsupported compression type "${compression}"`)
  }
}
