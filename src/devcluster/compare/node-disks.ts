import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nodePaths } from '../../api/node-paths.ts'
import { sandboxLog } from '../../daemon/host/sandbox/sandbox.ts'
import { readBundle } from '@machinist/pki/bundle'
import type { DiskSnapshot } from './disk-snapshot.ts'
import { snapshotDisk } from './disk-snapshot.ts'

/** The nodes' disks, which are directories with the nodes' names. */
export class NodeDisks {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  snapshot(node: string): Promise<DiskSnapshot> {
    return snapshotDisk(join(this.#directory, node))
  }

  /** What services and the machine were asked for since the first boot, line by line. */
  async journal(node: string): Promise<string> {
    return (await textAt(this.#place(node, sandboxLog))) ?? ''
  }

  /** Whether the kubelet lets in whoever this CA vouches for. */
  async trusts(node: string, fingerprint: string): Promise<boolean> {
    const text = await textAt(this.#place(node, nodePaths.kubeletCA))
    return text !== undefined && readBundle(text).bundle.has(fingerprint)
  }

  /** When the file was written by which the kubelet knows its callers; milliseconds since the epoch. */
  async trustWrittenAt(node: string): Promise<number> {
    return (await stat(this.#place(node, nodePaths.kubeletCA))).mtimeMs
  }

  #place(node: string, path: string): string {
    return join(this.#directory, node, path)
  }
}

/** Undefined where there is none yet. */
async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
