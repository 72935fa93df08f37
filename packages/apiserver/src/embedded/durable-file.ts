import { readFile, mkdir, open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readFileIfExists } from '@machinist/core/files'

/** Writes a file with secrets: mode 0600, atomic, and durable when the promise resolves. */
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

/** The text of a file; undefined if it does not exist. */
export const readIfExists = (path: string): Promise<string | undefined> =>
  readFileIfExists({ read: (file) => readFile(file, 'utf8') }, path)
