import { readFile } from 'node:fs/promises'

/** Reading files, so that tests and simulated worlds can bring their own. */
export interface Files {
  read(path: string): Promise<string>
}

export const realFiles: Files = { read: (path) => readFile(path, 'utf8') }

/** The text, or `undefined` when there is no such file. Other troubles (permissions) are thrown. */
export async function readIfThere(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.read(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && isAbsent(error.code)) return undefined
    throw error
  }
}

const isAbsent = (code: unknown): boolean => code === 'ENOENT' || code === 'ENOTDIR'
