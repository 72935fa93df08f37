import { annotations } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'

const keptAnnotations = [
  annotations.generatedByController,
  annotations.releaseImageVersion,
  annotations.osImageURLOverridden,
] as const

/** Keeps the fields of a MachineConfig that identify its release: all MachineConfigs together may have tens of megabytes. */
export function withoutConfig({ apiVersion, kind, metadata, spec }: MachineConfig): MachineConfig {
  const kept = keptAnnotations.flatMap((key) => {
    const value = metadata.annotations?.[key]
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: { ...metadata, annotations: Object.fromEntries(kept) },
    spec: spec?.osImageURL === undefined ? {} : { osImageURL: spec.osImageURL },
  }
}
