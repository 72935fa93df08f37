import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { encodeDataUrl } from '@machinist/core/data-url'
import type { Config } from '@machinist/ignition/config'

/** Every release reads it, and it can say all that we make. */
export const ignitionVersion = '3.2.0'

/** A file that a controller makes: everybody may read it, and it replaces what was there. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/** A MachineConfig's spec with these files, in the order of their paths. */
export function filesSpec(files: readonly GeneratedFile[]): MachineConfigSpec {
  const entries = files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, text }) => ({
      path,
      mode: 0o644,
      overwrite: true,
      contents: { source: encodeDataUrl(text) },
    }))
  const config: Config = {
    ignition: { version: ignitionVersion },
    ...(entries.length > 0 && { storage: { files: entries } }),
  }
  return { config }
}
