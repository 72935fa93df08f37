import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { nodeSettingsController } from '../node-settings/node-settings.ts'
import type { RuntimeConfigCaches } from './kind.ts'
import { runtimeConfigKind } from './kind.ts'

/** ContainerRuntimeConfigs → `99-<pool>-generated-containerruntime`. Keys are names of ContainerRuntimeConfigs. */
export function runtimeConfigController(
  context: ControllerContext,
  caches: RuntimeConfigCaches,
  { maker }: GeneratorSettings,
): Controller {
  return nodeSettingsController(context, caches, { kind: runtimeConfigKind(caches), maker })
}
