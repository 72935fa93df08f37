import { createHash } from 'node:crypto'
import { gunzip } from '@machinist/core/bytes'
import { decodeDataUrl } from '@machinist/core/data-url'
import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from './config.ts'

/** More than any config object can carry, and little enough to hold in memory. */
export const maxContentBytes = 32 * 1024 * 1024

/** What a resource holds; or, if that is not in the config itself, the URL where it would have to be fetched. */
export type Content =
  | { readonly inline: true; readonly bytes: Uint8Array }
  | { readonly inline: false; readonly url: string }

/** The bytes as they will be on disk: decoded and unpacked. No source means an empty file. Nothing is ever fetched. */
export function contentOf(resource: Resource | undefined, maxBytes = maxContentBytes): Content {
  const source = resource?.source ?? ''
  if (source === '') return { inline: true, bytes: new Uint8Array() }
  if (!source.startsWith('data:')) return { inline: false, url: source }
  const { bytes } = decodeDataUrl(source)
  return { inline: true, bytes: unpack(bytes, resource?.compression, maxBytes) }
}

/** The bytes of content that must be in the config itself, as everything is that a running node is given. */
export function inlineContent(resource: Resource | undefined, maxBytes?: number): Uint8Array {
  const content = contentOf(resource, maxBytes)
  if (content.inline) return content.bytes
  throw notInline(content.url)
}

export const notInline = (url: string): InvalidInput =>
  new InvalidInput(
    `the content is not in the config but behind a ${url.split(':', 1)[0]}: URL; only data: URLs can be used here`,
  )

/** A source that holds these bytes, in the form in which machine configs usually carry files. */
export function base64Source(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content)
  return `data:text/plain;charset=utf-8;base64,${bytes.toString('base64')}`
}

export type HashVerdict = 'matches' | 'differs' | 'not asked for'

/** Whether bytes are what the resource's hash promises. The hash is that of the unpacked content. */
export function checkHash(resource: Resource, bytes: Uint8Array): HashVerdict {
  const hash = resource.verification?.hash
  if (hash === undefined) return 'not asked for'
  const [, algorithm, digest] = /^(sha512|sha256)-(.*)$/s.exec(hash) ?? []
  if (algorithm === undefined || digest === undefined) {
    throw new InvalidInput('the hash has to be of the form sha512-… or sha256-…')
  }
  const actual = createHash(algorithm).update(bytes).digest('hex')
  return actual === digest.toLowerCase() ? 'matches' : 'differs'
}

function unpack(bytes: Uint8Array, compression: string | undefined, maxBytes: number): Uint8Array {
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
