import { posix } from 'node:path'
import { HostFailure } from '../host-failure.ts'
import type { HostFiles } from '../host.ts'
import { parentOf } from '../paths.ts'

/** Programs use one or two links in front of a file. */
const maxLinks = 8

/**
 * Reads the text of a file, and follows links in the last part of the path: the kubelet's current certificate is a link.
 * Absolute links start at the root of the machine, wherever it is mounted.
 */
export async function readThroughLinks(files: HostFiles, path: string): Promise<string> {
  let here = path
  for (let links = 0; links <= maxLinks; links++) {
    const entry = await files.stat(here)
    if (entry === undefined) throw new HostFailure(`${here} does not exist`, 'ENOENT')
    if (entry.type !== 'symlink') return Buffer.from(await files.read(here)).toString()
    here = posix.resolve(parentOf(here), entry.target)
  }
  throw new HostFailure(`${path}: too many symbolic links in the path`, 'ELOOP')
}
