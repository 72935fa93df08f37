import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Every path below a directory, with type, mode, owner and content. */
export async function diskTree(
  root: string,
  contentOf: (path: string, content: string) => string = (_, content) => content,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const visit = async (path: string): Promise<void> => {
    const at = join(root, path)
    const stats = await lstat(at)
    const attributes = `${(stats.mode & 0o7777).toString(8)} ${stats.uid}:${stats.gid}`
    if (stats.isSymbolicLink()) found[path] = `link to ${await readlink(at)}`
    else if (stats.isFile()) {
      const content = contentOf(path, await readFile(at, 'latin1'))
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
      found[path] = `file ${attributes} ${content.length < 200 ? JSON.stringify(content) : digest}`
    } else if (stats.isDirectory()) {
      found[path] = `directory ${attributes}`
      for (const name of (await readdir(at)).sort()) await visit(join(path, name))
    }
  }
  await visit('/')
  return found
}
