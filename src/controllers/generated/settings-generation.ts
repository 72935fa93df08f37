import type { KubeObject } from '@machinist/core/objects/resource'
import { ownAnnotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'

const { settingsGeneration } = ownAnnotations

/** The annotation with the generation of the settings in a MachineConfig. */
export function settingsGenerationAnnotation({
  metadata,
}: Readonly<KubeObject>): Record<string, string> {
  return { [settingsGeneration]: String(metadata.generation ?? 0) }
}

/** Whether a MachineConfig has the current generation of the settings, for this pool. */
export function isCurrentFor(
  pool: string,
  settings: Readonly<KubeObject>,
  { metadata }: Readonly<MachineConfig>,
): boolean {
  return (
    metadata.labels?.[labels.role] === pool &&
    metadata.annotations?.[settingsGeneration] ===
      settingsGenerationAnnotation(settings)[settingsGeneration]
  )
}
