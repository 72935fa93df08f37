import { InvalidInput } from '@machinist/core/errors'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { ContainerRuntimeConfig } from '../../api/kinds/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { MergeResult } from '../node-settings/settings-kind.ts'
import { dropinsOf, storageFile, storageOptions } from './files.ts'
import { settingsOf } from './settings.ts'

/** The facts that the merge needs beside the objects. */
export interface RuntimeContext {
  /** The container runtime: only CRI-O reads these settings. */
  readonly runtime: string
  /** The name of the MachineConfig with storage.conf. */
  readonly base: string
  /** The storage.conf of the templates, if they have one. */
  readonly storage: string | undefined
}

/** Pure. Merges the objects in order; later objects win. */
export function mergeRuntimeConfigs(
  objects: readonly Readonly<ContainerRuntimeConfig>[],
  { runtime, base, storage }: RuntimeContext,
): MergeResult {
  if (runtime === 'containerd') return failed(nodeSettingsReasons.badSettings, noEffect)
  const settings = settingsOf(objects)
  const files = dropinsOf(settings)
  const options = storageOptions(settings)
  if (Object.keys(options).length === 0) return { spec: filesSpec(files) }
  const { containerStorage } = nodePaths
  const { noBase } = nodeSettingsReasons
  if (storage === undefined) {
    return failed(
      noBase,
      `MachineConfig ${base} has no ${containerStorage}, which overlaySize and additional stores require; add the file to the templates`,
    )
  }
  try {
    return { spec: filesSpec([...files, storageFile(storage, options)]) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return failed(noBase, `${containerStorage} of MachineConfig ${base}: ${error.message}`)
  }
}

const { containerRuntime } = ownControllerConfigAnnotations
const noEffect = `nodes run containers with containerd, which ignores ContainerRuntimeConfigs; delete this object, or use CRI-O (annotation ${containerRuntime} of ControllerConfig ${names.controllerConfig})`

const failed = (reason: string, message: string): MergeResult => ({ problem: { reason, message } })
