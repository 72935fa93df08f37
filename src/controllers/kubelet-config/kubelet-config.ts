import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { GeneratorSettings } from '../generated/machine-config.ts'
import { nodeSettingsController } from '../node-settings/node-settings.ts'
import type { KubeletConfigCaches } from './kind.ts'
import { kubeletConfigKind } from './kind.ts'

/** KubeletConfigs → `99-<pool>-generated-kubelet`. Keys are names of KubeletConfigs. */
export function kubeletConfigController(
  context: ControllerContext,
  caches: KubeletConfigCaches,
  { maker }: GeneratorSettings,
): Controller {
  return nodeSettingsController(context, caches, { kind: kubeletConfigKind(caches), maker })
}
