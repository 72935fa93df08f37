import { ownAnnotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'

const { settingsGeneration } = ownAnnotations

/** On what is made from settings: which of their generations it holds. */
export function settingsMark({ metadata }: Readonly<KubeObject>): Record<string, string> {
  return { [settingsGeneration]: String(metadata.generation ?? 0) }
}

/** Whether that is what the settings say now, for this pool. */
export function isMadeFor(
  pool: string,
  settings: Readonly<KubeObject>,
  { metadata }: Readonly<MachineConfig>,
): boolean {
  return (
    metadata.labels?.[labels.role] === pool &&
    metadata.annotations?.[settingsGeneration] === settingsMark(settings)[settingsGeneration]
  )
}
