import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { CoreEvent } from '@machinist/kube/kinds/events'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { names } from '../../api/names.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import * as api from '../../api/kinds/resources.ts'

/** The objects that the controllers wrote or reported about, each kind in the order of names. */
export interface ClusterState {
  readonly controllerConfig: ControllerConfig | undefined
  readonly pools: readonly MachineConfigPool[]
  readonly machineConfigs: readonly MachineConfig[]
  readonly kubeletConfigs: readonly KubeletConfig[]
  readonly containerRuntimeConfigs: readonly ContainerRuntimeConfig[]
  readonly machineConfigurations: readonly MachineConfiguration[]
  readonly credentialProviderConfigs: readonly CRIOCredentialProviderConfig[]
  readonly events: readonly CoreEvent[]
}

export async function readClusterState(client: KubeClient): Promise<ClusterState> {
  const all = async <T extends KubeObject>(resource: Resource<T>): Promise<T[]> => {
    const page = await ignoreNotFound(client.list(resource))
    return (page?.items ?? []).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  }
  const controllerConfigs = await all(api.controllerConfigs)
  return {
    controllerConfig: controllerConfigs.find(
      ({ metadata }) => metadata.name === names.controllerConfig,
    ),
    pools: await all(api.machineConfigPools),
    machineConfigs: await all(api.machineConfigs),
    kubeletConfigs: await all(api.kubeletConfigs),
    containerRuntimeConfigs: await all(api.containerRuntimeConfigs),
    machineConfigurations: await all(api.machineConfigurations),
    credentialProviderConfigs: await all(crioCredentialProviderConfigs),
    events: await all(coreEvents),
  }
}
