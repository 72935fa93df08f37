import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import type { BootstrapProblem } from '../../../bootstrap/manifests/manifest.ts'
import { reasonOf } from '../../../process/terminal.ts'

export interface ManifestFiles {
  /** The texts by path, in the order of paths. Paths are relative to the directory. */
  readonly files: ReadonlyMap<string, string>
  readonly problems: readonly BootstrapProblem[]
}

/** Larger than every object that an API server accepts, many times over. */
const maxBytes = 64 * 1024 * 1024

/** Reads all manifests below a directory. Hidden files and folders are ignored, such as those of a mounted ConfigMap. */
export async function readManifestFiles(directory: string): Promise<ManifestFiles> {
  const texts: [path: string, text: string][] = []
  const problems: BootstrapProblem[] = []
  for await (const { path, isManifest } of entriesBelow(directory)) {
    const content = await contentOf(join(directory, path), isManifest)
    if ('text' in content) texts.push([path, content.text])
    else if ('problem' in content) problems.push({ file: path, message: content.problem })
  }
  if (texts.length + problems.length === 0) {
    throw new InvalidInput(`--in ${directory}: contains no .yaml, .yml or .json file`)
  }
  return { files: new Map(texts.toSorted(([a], [b]) => (a < b ? -1 : 1))), problems }
}

interface Found {
  /** Relative to the directory. */
  readonly path: string
  /** By its name; links to folders are found as well, to report them. */
  readonly isManifest: boolean
}

/** Does not follow links to folders, which may contain the folder that they are in. */
async function* entriesBelow(directory: string, folder = ''): AsyncGenerator<Found> {
  let entries: Dirent[]
  try {
    entries = await readdir(join(directory, folder), { withFileTypes: true })
  } catch (error) {
    const where = folder === '' ? '' : `${folder}: `
    throw new InvalidInput(`--in ${directory}: ${where}cannot be read: ${reasonOf(error)}`)
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = posix.join(folder, entry.name)
    const isManifest = /\.(?:ya?ml|json)$/.test(entry.name)
    if (entry.isDirectory()) yield* entriesBelow(directory, path)
    else if (isManifest || entry.isSymbolicLink()) yield { path, isManifest }
  }
}

type Content = { readonly text: string } | { readonly problem: string } | { readonly type: 'other' }

async function contentOf(path: string, isManifest: boolean): Promise<Content> {
  try {
    // Follows links to files: a mounted ConfigMap consists of them.
    const found = await stat(path)
    if (found.isDirectory()) return { problem: 'is a link to a folder, which is not followed' }
    if (!isManifest) return { type: 'other' }
    if (!found.isFile()) return { problem: 'is not a file' }
    if (found.size > maxBytes) return { problem: `has more than ${maxBytes} bytes` }
    const bytes = await readFile(path)
    return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { problem: 'is not UTF-8 text' }
  } catch (error) {
    return { problem: `cannot be read: ${reasonOf(error)}` }
  }
}
