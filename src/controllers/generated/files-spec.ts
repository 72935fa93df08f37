import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import type { Config } from '@machinist/ignition/spec/config'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'

/** Every release supports it, and it is sufficient for generated configs. */
export const ignitionVersion = '3.2.0'

/** A generated file: world-readable, and overwrites an existing file. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/** The spec of a MachineConfig with these files, sorted by path. */
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
