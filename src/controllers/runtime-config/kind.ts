import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { ContainerRuntimeConfig } from '../../api/kinds/resources.ts'
import { containerRuntimeConfigs } from '../../api/kinds/resources.ts'
import { fileIn } from '../generated/base-file.ts'
import type { NodeSettingsCaches } from '../node-settings/inputs.ts'
import type { SettingsKind } from '../node-settings/settings-kind.ts'
import type { SharedCache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { RuntimeContext } from './merge.ts'
import { mergeRuntimeConfigs } from './merge.ts'
import { ineffectiveFields, runtimeConfigProblems } from './problems.ts'
import { fieldsOf } from './settings.ts'

/** The caches of this controller; other controllers may share the informers. */
export interface RuntimeConfigCaches extends NodeSettingsCaches {
  readonly containerRuntimeConfigs: SharedCache<ContainerRuntimeConfig>
}

/** CRI-O drop-ins and storage.conf on the nodes of the selected pools. */
export function runtimeConfigKind(
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
