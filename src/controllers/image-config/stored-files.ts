import type { MachineConfig } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import { fileIn } from '../generated/base-file.ts'
import { isGenerated } from '../generated/machine-config.ts'

/** The texts of the files that nodes have from us, by path. */
export type StoredFiles = ReadonlyMap<string, string>

/** What is not by a controller, or cannot be read, counts as not there. */
export function storedFiles(stored: Readonly<MachineConfig> | undefined): StoredFiles {
  if (!stored || !isGenerated(stored)) return new Map()
  const { config } = parseAnyVersionValue(stored.spec?.config)
  return new Map(
    (config?.storage?.files ?? []).flatMap(({ path }): [string, string][] => {
      const text = ifReadable(() => fileIn(stored, path))
      return text === undefined ? [] : [[path, text]]
    }),
  )
}

/** Undefined for what is not as it should be: nodes can do nothing with it either. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}
