import { isObject } from '@machinist/core/encoding/json'
import type { TomlTable } from '@machinist/core/encoding/toml'
import { editToml, formatToml } from '@machinist/core/encoding/toml'
import { nodePaths } from '../../api/node-paths.ts'
import type { GeneratedFile } from '../generated/files-spec.ts'
import type { RuntimeSettings } from './settings.ts'

/** One file for each CRI-O setting, so that unset settings keep the value of the node. */
export function dropinsOf(settings: RuntimeSettings): GeneratedFile[] {
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

/** The options of storage.conf, by their names there. */
export function storageOptions(settings: RuntimeSettings): TomlTable {
  const { overlaySize, additionalLayerStores, additionalImageStores } = settings
  const layers = filled(additionalLayerStores)
  const images = filled(additionalImageStores)
  return {
    // In bytes: storage.conf would read 10G as 10 GiB, and does not accept 10Gi.
    ...(overlaySize && { size: overlaySize.toString() }),
    // `:ref` looks layers up by image reference.
    ...(layers && { additionallayerstores: layers.map((path) => `${path}:ref`) }),
    ...(images && { additionalimagestores: images }),
  }
}

/** Adds options to the storage.conf of the templates. Throws InvalidInput if it cannot be read. */
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
