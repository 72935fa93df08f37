import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { writeSecretFile } from '@machinist/apiserver/embedded/durable-file'
import type { ClusterSize } from './cluster-size.ts'
import { grown, parseSize, sizeInWords, usualSize } from './cluster-size.ts'

/** The size of the cluster in a data directory: as it was at the last start, or larger if that is wanted. */
export async function rememberedSize(
  data: string,
  wanted: ClusterSize | undefined,
): Promise<ClusterSize> {
  const path = join(data, 'nodes.txt')
  const before = await sizeIn(path)
  const size = before ? grown(before, wanted ?? before, data) : (wanted ?? usualSize)
  if (!before || sizeInWords(before) !== sizeInWords(size)) {
    await writeSecretFile(path, `${sizeInWords(size)}\n`)
  }
  return size
}

async function sizeIn(path: string): Promise<ClusterSize | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return parseSize(text.trim())
  } catch (error) {
    throw new InvalidInput(`${path} makes no sense: remove it to start with the usual nodes`, {
      cause: error,
    })
  }
}
