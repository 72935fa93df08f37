import type { MachineConfig } from '../../api/resources.ts'
import { lenientUtf8 } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import type { File } from '@machinist/ignition/config'
import { inlineContent } from '@machinist/ignition/content'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'

/**
 * The text of a file in a MachineConfig; undefined where it has no such file. Templates made it, so whatever cannot be
 * read there is told with InvalidInput.
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

/** The paths of all files in a MachineConfig; InvalidInput as well. */
export const pathsIn = (machineConfig: Readonly<MachineConfig>): string[] =>
  filesIn(machineConfig).map(({ path }) => path)

function filesIn({ metadata, spec }: Readonly<MachineConfig>): readonly File[] {
  const { config } = parseAnyVersionValue(spec?.config)
  if (!config) throw new InvalidInput(`MachineConfig ${metadata.name} has no readable spec.config`)
  return config.storage?.files ?? []
}
