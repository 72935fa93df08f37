import { posix } from 'node:path'
import { HostFailure } from './host-failure.ts'
import type { HostFiles } from './host.ts'
import { parentOf } from './paths.ts'

/** A file and a link or two that programs put in front of it. */
const mostLinks = 8

/**
 * The text of a file of the machine, also where the path is a link to it: a kubelet's current certificate is one. Absolute
 * links begin at the machine's root, wherever that is mounted.
 */
export async function readThroughLinks(files: HostFiles, path: string): Promise<string> {
  let here = path
  for (let links = 0; links <= mostLinks; links++) {
    const entry = await files.look(here)
    if (entry === undefined) throw new HostFailure(`${here} does not exist`, 'ENOENT')
    if (entry.type !== 'symlink') return Buffer.from(await files.read(here)).toString()
    here = posix.resolve(parentOf(here), entry.target)
  }
  throw new HostFailure(`${path}: too many symbolic links on the way`, 'ELOOP')
}
