import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { ContainerRuntimeConfig } from '../../api/kinds/resources.ts'
import { containerRuntimeConfigs } from '../../api/kinds/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import { fileIn } from '../generated/base-file.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { NodeSettingsCaches } from '../node-settings/gather.ts'
import type { NodeSettingsOptions } from '../node-settings/node-settings.ts'
import { nodeSettingsController } from '../node-settings/node-settings.ts'
import type { SettingsKind, MergeResult } from '../node-settings/settings-kind.ts'
import type { SharedCache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import { dropinsOf, storageFile, storageOptions } from './files.ts'
import { ineffectiveFields, runtimeConfigProblems } from './problems.ts'
import { fieldsOf, settingsOf } from './settings.ts'

export interface RuntimeConfigCaches extends NodeSettingsCaches {
  readonly containerRuntimeConfigs: SharedCache<ContainerRuntimeConfig>
}

export interface RuntimeConfigOptions extends NodeSettingsOptions {
  readonly caches: RuntimeConfigCaches
}

/** ContainerRuntimeConfigs → CRI-O drop-ins and storage.conf on the nodes of the selected pools. */
export function runtimeConfigController(options: RuntimeConfigOptions): Controller {
  return nodeSettingsController(runtimeConfigKind(options.caches), options)
}

/** The facts that the merge needs beside the objects. */
export interface RuntimeContext {
  /** The container runtime: only CRI-O reads these settings. */
  readonly runtime: string
  /** The name of the MachineConfig with storage.conf. */
  readonly base: string
  /** The storage.conf of the templates, if they have one. */
  readonly storage: string | undefined
}

function runtimeConfigKind(
  caches: RuntimeConfigCaches,
): SettingsKind<ContainerRuntimeConfig, RuntimeContext> {
  return {
    controller: 'runtime-config',
    resource: containerRuntimeConfigs,
    objects: caches.containerRuntimeConfigs,
    noun: 'containerruntime config',
    part: 'generated-containerruntime',
    deprecatedPart: 'containerruntime',
    reportsAccepted: false,
    base: (role) => `00-${role}`,
    inputs: () => [],
    context(_, base) {
      const config = caches.controllerConfigs.get(names.controllerConfig)
      return {
        runtime: config ? containerRuntimeOf(config) : '',
        base: base.metadata.name,
        storage: fileIn(base, nodePaths.containerStorage),
      }
    },
    problems: runtimeConfigProblems,
    merge: (objects, _, context) => mergeRuntimeConfigs(objects, context),
    fields: fieldsOf,
    ineffective: ineffectiveFields,
  }
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
