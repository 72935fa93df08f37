import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readBundle } from '@machinist/pki/bundle'
import { nodePaths } from '../../api/node-paths.ts'
import { sandboxLog } from '../../daemon/host/sandbox/sandbox.ts'
import type { DiskSnapshot } from './disk-snapshot.ts'
import { snapshotDisk } from './disk-snapshot.ts'

/** The disks of the nodes, which are directories with the names of the nodes. */
export class NodeDisks {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  snapshot(node: string): Promise<DiskSnapshot> {
    return snapshotDisk(join(this.#directory, node))
  }

  /** Requests to services and to the machine since the first boot, one per line. */
  async journal(node: string): Promise<string> {
    return (await textAt(this.#place(node, sandboxLog))) ?? ''
  }

  /** Whether the kubelet trusts this CA. */
  async trusts(node: string, fingerprint: string): Promise<boolean> {
    const text = await textAt(this.#place(node, nodePaths.kubeletCA))
    return text !== undefined && readBundle(text).bundle.has(fingerprint)
  }

  /** When the kubelet's client CA file was written, in milliseconds since the epoch. */
  async trustWrittenAt(node: string): Promise<number> {
    return (await stat(this.#place(node, nodePaths.kubeletCA))).mtimeMs
  }

  #place(node: string, path: string): string {
    return join(this.#directory, node, path)
  }
}

/** Undefined if the file does not exist. */
async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
