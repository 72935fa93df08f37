import type { HostFiles } from '../../host/host.ts'
import { HostFailure } from '../../host/host-failure.ts'
import type { Intent } from '../intent.ts'

/** Rejects an update if a path that it does not remove is in the place of a new directory or file. */
export async function refuseObstacles(
  files: HostFiles,
  { removed, emptied, made, written }: Pick<Intent, 'removed' | 'emptied' | 'made' | 'written'>,
): Promise<void> {
  const free = new Set([...removed, ...emptied].map(({ path }) => path))
  const directories = new Set(made.map(({ path }) => path))
  for (const path of directories) {
    if (free.has(path) || (await files.stat(path)) === undefined) continue
    throw new HostFailure(`${path} exists and is not a directory; remove it`, 'ENOTDIR')
  }
  for (const { path } of written) {
    const isDirectory =
      directories.has(path) || (!free.has(path) && (await files.stat(path))?.type === 'directory')
    if (isDirectory) {
      throw new HostFailure(`${path} cannot be written: it is a directory`, 'EISDIR')
    }
  }
}
