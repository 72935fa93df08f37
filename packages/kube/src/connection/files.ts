import { readFile } from 'node:fs/promises'
import type { FileReader } from '@machinist/core/files'

export const realFiles: FileReader = { read: (path) => readFile(path, 'utf8') }
