import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** How the user can run kubectl. */
export type Kubectl =
  | { readonly type: 'onPath' }
  /** Not on PATH, but installed. */
  | { readonly type: 'found'; readonly path: string }
  /** Not installed; the script downloads it, if there is a script. */
  | { readonly type: 'missing'; readonly script?: string }

/** Searches PATH first, then the directory of the script that downloads or builds kubectl. */
export async function findKubectl(path: string, script: string | undefined): Promise<Kubectl> {
  for (const directory of path.split(delimiter).filter((each) => each !== '')) {
    if (await isExecutable(join(directory, 'kubectl'))) return { type: 'onPath' }
  }
  if (script === undefined) return { type: 'missing' }
  try {
    const { stdout } = await promisify(execFile)('bash', [script])
    return { type: 'found', path: stdout.trim() }
  } catch {
    // The script exits with 3 if there is none.
    return { type: 'missing', script }
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
