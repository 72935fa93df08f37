import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { writeSecretFile } from '@machinist/apiserver/embedded/durable-file'
import type { ClusterSize } from './cluster-size.ts'
import { validateGrowth, parseSize, formatSize, defaultSize } from './cluster-size.ts'

/** The size of the cluster in a data directory: the size at the last start, or the larger desired size. */
export async function rememberedSize(
  data: string,
  desired: ClusterSize | undefined,
): Promise<ClusterSize> {
  const path = join(data, 'nodes.txt')
  const before = await sizeIn(path)
  const size = before ? validateGrowth(before, desired ?? before, data) : (desired ?? defaultSize)
  if (!before || formatSize(before) !== formatSize(size)) {
    await writeSecretFile(path, `${formatSize(size)}\n`)
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
    throw new InvalidInput(`${path} is not valid: remove it to start with the default size`, {
      cause: error,
    })
  }
}
