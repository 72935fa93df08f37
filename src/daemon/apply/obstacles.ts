import type { HostFiles } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { Intent } from './intent.ts'

/** Nothing but what we remove ourselves may be in the way of a directory or a file. */
export async function refuseObstacles(
  files: HostFiles,
  { removed, emptied, made, written }: Pick<Intent, 'removed' | 'emptied' | 'made' | 'written'>,
): Promise<void> {
  const gone = new Set([...removed, ...emptied].map(({ path }) => path))
  const directories = new Set(made.map(({ path }) => path))
  for (const path of directories) {
    if (gone.has(path) || (await files.look(path)) === undefined) continue
    throw new HostFailure(`${path} must be a directory, but something else is there`, 'ENOTDIR')
  }
  for (const { path } of written) {
    const isDirectory =
      directories.has(path) || (!gone.has(path) && (await files.look(path))?.type === 'directory')
    if (isDirectory) {
      throw new HostFailure(`${path} cannot be written: there is a directory`, 'EISDIR')
    }
  }
}
