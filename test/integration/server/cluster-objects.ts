import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, namespaces, serviceAccounts } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { emptyControllerConfigSpec } from '../../../src/api/kinds/new-controller-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../src/api/kinds/resources.ts'
import { authorities, serverUrl, trustPayloads } from '../../../src/server/answer/state.fixture.ts'

export const namespace = 'openshift-machine-config-operator'

/** Creates everything that the server reads, with a pool `worker` and its rendered config. */
export async function createCluster(
  client: KubeClient,
  config: MachineConfig['spec'] = {},
): Promise<void> {
  await installDefinitions(client)
  await client.create(namespaces, { metadata: { name: namespace } })
  await client.create(serviceAccounts, { metadata: { namespace, name: 'node-bootstrapper' } })
  await client.create(configMaps, {
    metadata: { namespace, name: 'kubeconfig-data' },
    data: { 'ca-bundle.crt': authorities.apiServer },
  })
  await client.create(controllerConfigs, {
    metadata: { name: 'machine-config-controller' },
    spec: {
      ...emptyControllerConfigSpec,
      ...(trustPayloads as Partial<typeof emptyControllerConfigSpec>),
      infra: {
        apiVersion: 'config.openshift.io/v1',
        kind: 'Infrastructure',
        metadata: { name: 'cluster' },
        spec: {},
        status: { apiServerInternalURI: serverUrl },
      },
    },
  })
  await createConfig(client, 'rendered-worker-1', config)
  await client.create(machineConfigPools, { metadata: { name: 'worker' }, spec: {} })
  await setPool(client, 'rendered-worker-1', { machineCount: 0 })
}

export async function createConfig(
  client: KubeClient,
  name: string,
  spec: MachineConfig['spec'] = {},
): Promise<void> {
  await client.create(machineConfigs, { metadata: { name }, spec })
}

export async function setPool(
  client: KubeClient,
  desired: string,
  status: MachineConfigPool['status'],
): Promise<void> {
  const key = { name: 'worker' }
  const spec = { configuration: { name: desired } }
  const { metadata } = await client.patch(machineConfigPools, key, mergePatch({ spec }))
  const body = { status: { observedGeneration: metadata.generation, ...status } }
  await client.patch(machineConfigPools, key, mergePatch(body), { subresource: 'status' })
}
