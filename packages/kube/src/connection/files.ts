import { readdir, readFile } from 'node:fs/promises'
import type { FolderReader } from '@machinist/core/files'

export const realFiles: FolderReader = {
  read: (path) => readFile(path, 'utf8'),
  list: (path) => readdir(path),
}
