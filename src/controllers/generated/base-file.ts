import type { MachineConfig } from '../../api/resources.ts'
import { lenientUtf8 } from '../../base/bytes.ts'
import { InvalidInput } from '../../base/errors.ts'
import { inlineContent } from '../../ignition/content.ts'
import { parseAnyVersionValue } from '../../ignition/convert/parse-any.ts'

/**
 * The text of a file in a MachineConfig; undefined where it has no such file. Templates made it, so whatever cannot be
 * read there is told with InvalidInput.
 */
export function fileIn(
  { metadata, spec }: Readonly<MachineConfig>,
  path: string,
): string | undefined {
  const { config } = parseAnyVersionValue(spec?.config)
  if (!config) throw new InvalidInput(`MachineConfig ${metadata.name} has no readable spec.config`)
  const file = config.storage?.files?.find((one) => one.path === path)
  if (!file) return undefined
  try {
    return lenientUtf8(inlineContent(file.contents))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`${path} in MachineConfig ${metadata.name}: ${error.message}`)
  }
}
