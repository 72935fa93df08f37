import type { KubeClient } from '@machinist/kube/client/client'
import type { ContainerRuntimeSettings } from '../../../../src/api/kinds/container-runtime-config.ts'
import type { ContainerRuntimeConfig } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { filesSpec } from '../../../../src/controllers/generated/files-spec.ts'
import { runtimeConfigController } from '../../../../src/controllers/runtime-config/runtime-config.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { machineConfig, maker, pool } from '../support/cluster-objects.ts'
import { fileOf } from '../support/machine-configs.ts'
import { settingsCaches } from '../support/settings-controllers.ts'

/** Runs the controller. */
export function runRuntimeConfig(client: KubeClient): RunningControllers {
  return new RunningControllers(client, (given) => {
    const caches = {
      ...settingsCaches(given),
      containerRuntimeConfigs: given.follow(api.containerRuntimeConfigs),
    }
    return runtimeConfigController(given, caches, { maker })
  })
}

const storage = '[storage]\ndriver = "overlay"\n'

/** Creates the pools worker and infra, which inherits from worker, and the base MachineConfig. */
export async function createPoolsAndBase(client: KubeClient): Promise<void> {
  await pool(client, 'worker', ['worker'])
  await pool(client, 'infra', ['worker', 'infra'])
  const base = filesSpec([{ path: '/etc/containers/storage.conf', text: storage }])
  await machineConfig(client, '00-worker', 'worker', base)
}

export function createRuntimeConfig(
  client: KubeClient,
  name: string,
  ofPool: string,
  containerRuntimeConfig: ContainerRuntimeSettings,
): Promise<ContainerRuntimeConfig> {
  const machineConfigPoolSelector = { matchLabels: { pool: ofPool } }
  const spec = { machineConfigPoolSelector, containerRuntimeConfig }
  return client.create(api.containerRuntimeConfigs, { metadata: { name }, spec })
}

/** The lines of a file in a MachineConfig; empty if there is no such file. */
export async function linesIn(client: KubeClient, name: string, path: string): Promise<string[]> {
  return (await fileOf(client, name, path))?.split('\n').filter(Boolean) ?? []
}
