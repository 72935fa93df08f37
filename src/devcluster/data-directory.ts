import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { reasonOf } from '../process/terminal.ts'

/** Makes the directory that everything is kept in, for its owner only, unless it is there. */
export async function makeDataDirectory(path: string): Promise<void> {
  try {
    await make(path)
  } catch (error) {
    const why = inWords[codeOf(error)] ?? reasonOf(error)
    throw new InvalidInput(
      `--data ${path} cannot be used: ${why}. Name a directory that you may write, or one that can be made`,
    )
  }
}

const inWords: Readonly<Record<string, string>> = {
  EEXIST: 'it is no directory',
  ENOTDIR: 'there is a file in the way',
}

/** Step by step: Node's own `recursive` never ends where nothing can be made, as in /proc. */
async function make(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (error) {
    const parent = dirname(path)
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error
    await make(parent)
    await makeOne(path)
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await isDirectory(path))) throw error
  }
}

/** A link that leads nowhere is none. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
