import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { ContainerRuntimeConfig } from '../../api/resources.ts'
import { containerRuntimeConfigs } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import { fileIn } from '../generated/base-file.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { NodeSettingsCaches } from '../node-settings/gather.ts'
import type { NodeSettingsOptions } from '../node-settings/node-settings.ts'
import { nodeSettingsController } from '../node-settings/node-settings.ts'
import type { SettingsKind, Settlement } from '../node-settings/settings-kind.ts'
import type { Cache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import { dropinsOf, storageFile, storageOptions } from './files.ts'
import { idleIn, problemsOf } from './problems.ts'
import { fieldsOf, settingsOf } from './settings.ts'

export interface RuntimeConfigCaches extends NodeSettingsCaches {
  readonly containerRuntimeConfigs: Cache<ContainerRuntimeConfig>
}

export interface RuntimeConfigOptions extends NodeSettingsOptions {
  readonly caches: RuntimeConfigCaches
}

/** ContainerRuntimeConfigs → drop-ins of CRI-O and storage.conf on the nodes of the pools that they select. */
export function runtimeConfigController(options: RuntimeConfigOptions): Controller {
  return nodeSettingsController(runtimeConfigKind(options.caches), options)
}

/** What is needed beside the objects. */
export interface RuntimeWorld {
  /** What runs the containers: only CRI-O reads these settings. */
  readonly runtime: string
  /** The MachineConfig that has storage.conf. */
  readonly base: string
  /** As the templates made it, where they did. */
  readonly storage: string | undefined
}

function runtimeConfigKind(
  caches: RuntimeConfigCaches,
): SettingsKind<ContainerRuntimeConfig, RuntimeWorld> {
  return {
    controller: 'runtime-config',
    resource: containerRuntimeConfigs,
    objects: caches.containerRuntimeConfigs,
    noun: 'containerruntime config',
    part: 'generated-containerruntime',
    deprecatedPart: 'containerruntime',
    tellsAccepted: false,
    base: (role) => `00-${role}`,
    inputs: () => [],
    world(_, base) {
      const config = caches.controllerConfigs.get(names.controllerConfig)
      return {
        runtime: config ? containerRuntimeOf(config) : '',
        base: base.metadata.name,
        storage: fileIn(base, nodePaths.containerStorage),
      }
    },
    problems: problemsOf,
    settle: (objects, _, world) => settle(objects, world),
    fields: fieldsOf,
    idle: idleIn,
  }
}

/** Pure. What the objects come to, the last with the last word. */
export function settle(
  objects: readonly Readonly<ContainerRuntimeConfig>[],
  { runtime, base, storage }: RuntimeWorld,
): Settlement {
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
      `MachineConfig ${base} has no ${containerStorage}, into which overlaySize and additional stores go; let the templates make one`,
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
const noEffect = `the containers of these nodes are run by containerd, which reads none of these settings; delete this object, or have CRI-O run them (annotation ${containerRuntime} of ControllerConfig ${names.controllerConfig})`

const failed = (reason: string, message: string): Settlement => ({ problem: { reason, message } })
