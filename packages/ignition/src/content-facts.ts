import { gunzipAsync } from '@machinist/core/encoding/bytes'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { sha256Hex } from '@machinist/core/encoding/digest'
import { InvalidInput } from '@machinist/core/errors'
import type { Config, Resource } from './spec/config.ts'
import type { Content } from './content.ts'
import { checkHash, contentOf, maxContentBytes } from './content.ts'

/** Size and digest of a content, for decisions that do not need the bytes. */
export type ContentFacts =
  | {
      readonly inline: true
      readonly size: number
      readonly sha256: string
      /** Why the verification hash does not match. */
      readonly hashProblem?: string
    }
  | { readonly inline: false; readonly url: string }

/** Cache of decompressed contents: a few kilobytes of gzip can be 32 MiB, and a decision needs the facts several times. */
const cache = new Map<string, ContentFacts | InvalidInput>()
const maxCacheEntries = 1024

/** Throws InvalidInput if the content cannot be decoded or decompressed. */
export function contentFacts(resource: Resource = {}): ContentFacts {
  if (!isCompressed(resource)) return factsOf(resource, contentOf(resource))
  const key = keyOf(resource)
  const known = cache.get(key) ?? computeFacts(key, resource, () => contentOf(resource))
  if (known instanceof InvalidInput) throw known
  return known
}

/**
 * Decompresses the files of a config one after the other, without blocking the event loop, and caches their facts for the next
 * decision. Stops if the config is too large.
 */
export async function preloadContentFacts({ storage }: Config): Promise<void> {
  let size = 0
  for (const { contents } of storage?.files ?? []) {
    if (!contents || !isCompressed(contents)) continue
    const known = await preloadFacts(contents)
    if (!(known instanceof InvalidInput) && known.inline) size += known.size
    if (size > maxUnpackedBytes) return
  }
}

async function preloadFacts(resource: Resource): Promise<ContentFacts | InvalidInput> {
  const key = keyOf(resource)
  const known = cache.get(key)
  if (known) return known
  try {
    const compressed = decodeDataUrl(resource.source ?? '').bytes
    const bytes = await gunzipAsync(compressed, maxContentBytes)
    return computeFacts(key, resource, () => ({ inline: true, bytes }))
  } catch (error) {
    return computeFacts(key, resource, () => {
      throw error
    })
  }
}

/** Limit for the decompressed size of all files of a config, because controllers and daemons hold them in memory. */
export const maxUnpackedBytes = 64 * 1024 * 1024

export interface UnpackedFile {
  readonly path: string
  readonly size: number
}

/** The compressed files up to the one that exceeds the limit for all files; empty if the limit is not exceeded. */
export function oversizedFiles({ storage }: Config): readonly UnpackedFile[] {
  const files: UnpackedFile[] = []
  let sum = 0
  for (const { path, contents } of storage?.files ?? []) {
    if (!contents || !isCompressed(contents)) continue
    const size = decompressedSize(contents)
    if (size > 0) files.push({ path, size })
    sum += size
    if (sum > maxUnpackedBytes) return files
  }
  return []
}

/** Invalid content counts as 0; it is reported for the file itself. */
function decompressedSize(resource: Resource): number {
  try {
    const facts = contentFacts(resource)
    return facts.inline ? facts.size : 0
  } catch (error) {
    if (error instanceof InvalidInput) return 0
    throw error
  }
}

const isCompressed = ({ source = '', compression = '' }: Resource): boolean =>
  compression === 'gzip' && source.startsWith('data:')

const keyOf = ({ source = '', compression = '', verification }: Resource): string =>
  sha256Hex(`${compression} ${verification?.hash ?? ''} ${source}`)

function computeFacts(
  key: string,
  resource: Resource,
  decompress: () => Content,
): ContentFacts | InvalidInput {
  let facts: ContentFacts | InvalidInput
  try {
    facts = factsOf(resource, decompress())
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    facts = error
  }
  const [oldest] = cache.keys()
  if (oldest !== undefined && cache.size >= maxCacheEntries) cache.delete(oldest)
  cache.set(key, facts)
  return facts
}

function factsOf(resource: Resource, content: Content): ContentFacts {
  if (!content.inline) return content
  const { bytes } = content
  const hashProblem = hashProblemOf(resource, bytes)
  return {
    inline: true,
    size: bytes.length,
    sha256: sha256Hex(bytes),
    ...(hashProblem === undefined ? {} : { hashProblem }),
  }
}

function hashProblemOf(resource: Resource, bytes: Uint8Array): string | undefined {
  try {
    const differs = checkHash(resource, bytes) === 'differs'
    return differs ? 'the content does not match its verification hash' : undefined
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
