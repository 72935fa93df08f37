import { readIfThere } from '@machinist/core/files'
import { readFile, mkdir, open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Writes a file that holds secrets: for its owner only, whole or not at all, and on disk when it resolves. */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = join(directory, `.${basename(path)}.${process.pid}`)
  await using file = await open(temporary, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
  await rename(temporary, path)
  await using folder = await open(directory, 'r')
  await folder.sync()
}

/** The text of such a file; undefined if it does not exist. */
export const readDurable = (path: string): Promise<string | undefined> =>
  readIfThere({ read: (file) => readFile(file, 'utf8') }, path)
