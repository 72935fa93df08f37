import { base64, ca } from '@machinist/testing/certificates/certificates'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { TrustPayloads } from '../../api/trust/digests.ts'
import { servedTrust } from './served-trust.ts'
import type { ServerState } from './state.ts'

/** Certificates of the tests, as PEM. */
export const authorities = {
  kubelet: await ca('kubelet clients'),
  cloud: await ca('cloud'),
  registry: await ca('registry'),
  apiServer: await ca('API server'),
}

export const trustPayloads: TrustPayloads = {
  kubeAPIServerServingCAData: base64(authorities.kubelet),
  cloudProviderCAData: base64(authorities.cloud),
  imageRegistryBundleData: [{ file: 'registry.example..5000', data: base64(authorities.registry) }],
}

export const configName = 'rendered-worker-1'
export const token = 'bootstrap-token'
export const serverUrl = 'https://api-int.example:6443'

export function renderedConfig(spec: MachineConfig['spec'] = {}): MachineConfig {
  return { metadata: { name: configName, labels: { a: 'b' } }, spec }
}

export function workerPool(more: Partial<MachineConfigPool> = {}): MachineConfigPool {
  return {
    metadata: { name: 'worker' },
    spec: { configuration: { name: configName } },
    status: { configuration: { name: configName }, machineCount: 3, updatedMachineCount: 3 },
    ...more,
  }
}

/** A pool `worker` with one rendered config. */
export function serverState(
  config: MachineConfig = renderedConfig(),
  more: Partial<ServerState> = {},
): ServerState {
  return {
    asOf: 0,
    pools: new Map([['worker', workerPool()]]),
    configs: new Map([[config.metadata.name, config]]),
    images: { osConfigs: [], osBuilds: [], internalRegistries: [] },
    trust: servedTrust(trustPayloads),
    kubeconfig: { type: 'credential', server: serverUrl, authorities: authorities.apiServer },
    ...more,
  }
}
