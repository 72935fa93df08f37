import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { reasonOf } from '../process/terminal.ts'

/** Creates the directory for all state, readable by its owner only, unless it exists. */
export async function createDataDirectory(path: string): Promise<void> {
  try {
    await createRecursively(path)
  } catch (error) {
    const why = reasons[codeOf(error)] ?? reasonOf(error)
    throw new InvalidInput(
      `--data ${path} cannot be used: ${why}. Use a directory that is writable or can be created`,
    )
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a directory',
  ENOTDIR: 'a parent is not a directory',
}

/** Node's own `recursive` never ends if nothing can be created, as in /proc. */
async function createRecursively(path: string): Promise<void> {
  try {
    await createDirectory(path)
  } catch (error) {
    const parent = dirname(path)
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error
    await createRecursively(parent)
    await createDirectory(path)
  }
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await isDirectory(path))) throw error
  }
}

/** False for a dangling link. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
