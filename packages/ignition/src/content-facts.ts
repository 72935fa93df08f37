import { gunzipAside } from '@machinist/core/bytes'
import { decodeDataUrl } from '@machinist/core/data-url'
import { sha256Hex } from '@machinist/core/digest'
import { InvalidInput } from '@machinist/core/errors'
import type { Config, Resource } from './config.ts'
import type { Content } from './content.ts'
import { checkHash, contentOf, maxContentBytes } from './content.ts'

/** What decisions need to know of a content, in place of the content. */
export type ContentFacts =
  | {
      readonly inline: true
      readonly size: number
      readonly sha256: string
      /** Why its verification hash does not hold. */
      readonly hashProblem?: string
    }
  | { readonly inline: false; readonly url: string }

/** A few kilobytes of gzip can be 32 MiB, and one decision asks several times: what was unpacked once is remembered. */
const remembered = new Map<string, ContentFacts | InvalidInput>()
const mostRemembered = 1024

/** Throws InvalidInput for what cannot be decoded or unpacked. */
export function contentFacts(resource: Resource = {}): ContentFacts {
  if (!isPacked(resource)) return factsOf(resource, contentOf(resource))
  const key = keyOf(resource)
  const known = remembered.get(key) ?? remember(key, resource, () => contentOf(resource))
  if (known instanceof InvalidInput) throw known
  return known
}

/**
 * Unpacks the files of a config, one after the other and off the event loop, so that the next decision finds its facts
 * remembered. Stops where the config is too large.
 */
export async function learnContents({ storage }: Config): Promise<void> {
  let size = 0
  for (const { contents } of storage?.files ?? []) {
    if (!contents || !isPacked(contents)) continue
    const known = await learn(contents)
    if (!(known instanceof InvalidInput) && known.inline) size += known.size
    if (size > mostUnpackedBytes) return
  }
}

async function learn(resource: Resource): Promise<ContentFacts | InvalidInput> {
  const key = keyOf(resource)
  const known = remembered.get(key)
  if (known) return known
  try {
    const packed = decodeDataUrl(resource.source ?? '').bytes
    const bytes = await gunzipAside(packed, maxContentBytes)
    return remember(key, resource, () => ({ inline: true, bytes }))
  } catch (error) {
    return remember(key, resource, () => {
      throw error
    })
  }
}

/** What all compressed files of a config may come to: controllers and daemons unpack them in memory. */
export const mostUnpackedBytes = 64 * 1024 * 1024

export interface UnpackedFile {
  readonly path: string
  readonly size: number
}

/** Compressed files that are too large together, up to the one that is too much; none if they are not. */
export function oversizedFiles({ storage }: Config): readonly UnpackedFile[] {
  const files: UnpackedFile[] = []
  let sum = 0
  for (const { path, contents } of storage?.files ?? []) {
    if (!contents || !isPacked(contents)) continue
    const size = unpackedSize(contents)
    if (size > 0) files.push({ path, size })
    sum += size
    if (sum > mostUnpackedBytes) return files
  }
  return []
}

/** What cannot be unpacked is refused for that, file by file. */
function unpackedSize(resource: Resource): number {
  try {
    const facts = contentFacts(resource)
    return facts.inline ? facts.size : 0
  } catch (error) {
    if (error instanceof InvalidInput) return 0
    throw error
  }
}

const isPacked = ({ source = '', compression = '' }: Resource): boolean =>
  compression === 'gzip' && source.startsWith('data:')

const keyOf = ({ source = '', compression = '', verification }: Resource): string =>
  sha256Hex(`${compression} ${verification?.hash ?? ''} ${source}`)

function remember(
  key: string,
  resource: Resource,
  unpack: () => Content,
): ContentFacts | InvalidInput {
  let facts: ContentFacts | InvalidInput
  try {
    facts = factsOf(resource, unpack())
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    facts = error
  }
  const [oldest] = remembered.keys()
  if (oldest !== undefined && remembered.size >= mostRemembered) remembered.delete(oldest)
  remembered.set(key, facts)
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
    const isWrong = checkHash(resource, bytes) === 'differs'
    return isWrong ? 'the content does not match its verification hash' : undefined
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
