import { nodePaths } from '../../api/node-paths.ts'
import { isObject } from '@machinist/core/json'
import type { TomlTable } from '@machinist/core/toml'
import { editToml, formatToml } from '@machinist/core/toml'
import type { GeneratedFile } from '../generated/files-spec.ts'
import type { Settings } from './settings.ts'

/** One file for each setting of CRI-O, so that what is not set stays as the node has it. */
export function dropinsOf(settings: Settings): GeneratedFile[] {
  const { logLevel, pidsLimit, logSizeMax, defaultRuntime, additionalArtifactStores } = settings
  return [
    ...dropin('logLevel', 'log_level', logLevel),
    ...dropin('pidsLimit', 'pids_limit', pidsLimit),
    ...dropin('logSizeMax', 'log_size_max', logSizeMax || undefined),
    ...dropin('defaultRuntime', 'default_runtime', defaultRuntime),
    ...dropin(
      'additionalArtifactStores',
      'additional_artifact_stores',
      filled(additionalArtifactStores),
    ),
  ]
}

/** Options that go into storage.conf, as it calls them. */
export function storageOptions(settings: Settings): TomlTable {
  const { overlaySize, additionalLayerStores, additionalImageStores } = settings
  const layers = filled(additionalLayerStores)
  const images = filled(additionalImageStores)
  return {
    // In bytes: with a unit it would be read as another amount (10G as 10 GiB), or not at all (10Gi).
    ...(overlaySize && { size: overlaySize.toString() }),
    // Layers are found by the image's reference.
    ...(layers && { additionallayerstores: layers.map((path) => `${path}:ref`) }),
    ...(images && { additionalimagestores: images }),
  }
}

/** The storage.conf of the templates with these options. Throws InvalidInput where that cannot be read. */
export function storageFile(base: string, options: TomlTable): GeneratedFile {
  const text = editToml(base, (table) => {
    const storage = isObject(table['storage']) ? table['storage'] : {}
    const before = isObject(storage['options']) ? storage['options'] : {}
    return { ...table, storage: { ...storage, options: { ...before, ...options } } }
  })
  return { path: nodePaths.containerStorage, text }
}

function dropin(field: string, key: string, value: unknown): GeneratedFile[] {
  if (value === undefined) return []
  const text = formatToml({ crio: { runtime: { [key]: value } } })
  return [{ path: `${nodePaths.crioDropins}/01-ctrcfg-${field}`, text }]
}

const filled = (paths: readonly string[] | undefined): readonly string[] | undefined =>
  paths && paths.length > 0 ? paths : undefined
