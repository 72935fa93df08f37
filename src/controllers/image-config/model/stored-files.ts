import { InvalidInput } from '@machinist/core/errors'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import { fileIn } from '../../generated/base-file.ts'
import { isGenerated } from '../../generated/machine-config.ts'

/** The contents of the files in the stored MachineConfig, by path. */
export type StoredFiles = ReadonlyMap<string, string>

/** Ignores MachineConfigs that no controller generated, and unreadable files. */
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

/** Undefined for invalid input, which nodes cannot use either. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}
