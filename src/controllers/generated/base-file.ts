import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import type { File } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { MachineConfig } from '../../api/kinds/resources.ts'

/**
 * The text of a file in a generated MachineConfig; undefined if it has no such file. Throws InvalidInput for invalid contents.
 */
export function fileIn(machineConfig: Readonly<MachineConfig>, path: string): string | undefined {
  const { name } = machineConfig.metadata
  const file = filesIn(machineConfig).find((one) => one.path === path)
  if (!file) return undefined
  try {
    return lenientUtf8(inlineContent(file.contents))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`${path} in MachineConfig ${name}: ${error.message}`)
  }
}

/** The paths of all files in a MachineConfig. Throws InvalidInput as well. */
export const pathsIn = (machineConfig: Readonly<MachineConfig>): string[] =>
  filesIn(machineConfig).map(({ path }) => path)

function filesIn({ metadata, spec }: Readonly<MachineConfig>): readonly File[] {
  const { config } = parseAnyVersionValue(spec?.config)
  if (!config) throw new InvalidInput(`MachineConfig ${metadata.name} has an invalid spec.config`)
  return config.storage?.files ?? []
}
