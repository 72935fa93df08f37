import { readFile } from 'node:fs/promises'
import type { Files } from '@machinist/core/files'

export const realFiles: Files = { read: (path) => readFile(path, 'utf8') }
