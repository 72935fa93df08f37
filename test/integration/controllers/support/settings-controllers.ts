import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import * as api from '../../../../src/api/kinds/resources.ts'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import type { NodeSettingsCaches } from '../../../../src/controllers/node-settings/inputs.ts'
import type { Given } from '../../../support/running-controllers.ts'
import { rendered } from '../template/rendered.ts'
import { generatedConfig, theControllerConfig } from './cluster-objects.ts'
import { exampleControllerConfig } from './example-controller-config.ts'

/** The caches that every controller of settings reads. */
export const settingsCaches = ({ follow }: Pick<Given, 'follow'>): NodeSettingsCaches => ({
  pools: follow(api.machineConfigPools),
  machineConfigs: follow(api.machineConfigs, { indexes: machineConfigIndexes }),
  controllerConfigs: follow(api.controllerConfigs),
})

/** Creates the MachineConfigs of the shipped templates whose names end like this. */
export async function createTemplates(client: KubeClient, ending: string): Promise<void> {
  for (const [role, parts] of rendered(exampleControllerConfig('plain-kubernetes'))) {
    for (const { name, spec } of parts.filter((part) => part.name.endsWith(ending))) {
      await generatedConfig(client, name, role, spec)
    }
  }
}

/** Sets the container runtime of all nodes; null is the default. */
export function setContainerRuntime(client: KubeClient, runtime: string | null): Promise<unknown> {
  const annotations = { 'machinist.dev/container-runtime': runtime }
  const patch = mergePatch({ metadata: { annotations } })
  return client.patch(api.controllerConfigs, theControllerConfig, patch)
}
