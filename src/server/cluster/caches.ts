import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import * as api from '../../api/kinds/resources.ts'
import type {
  ControllerConfig,
  MachineConfigPool,
  MachineOSBuild,
  MachineOSConfig,
} from '../../api/kinds/resources.ts'
import { configMaps as sources, names } from '../../api/names.ts'
import type { Image } from '../../api/openshift-config.ts'
import { images } from '../../api/openshift-config.ts'

export type CacheTools = Omit<ControllerContext, 'events'>

/** What the server watches. Rendered MachineConfigs are read one by one: all of them would need much memory. */
export interface ServerCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly kubeconfigData: Informer<ConfigMap>
  readonly osConfigs: Informer<MachineOSConfig>
  readonly osBuilds: Informer<MachineOSBuild>
  readonly images: Informer<Image>
}

export function serverCaches({ client, clock, random, log, metrics }: CacheTools): ServerCaches {
  const tools = { clock, random, log, metrics }
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    scope: ListWatchScope = {},
    transform?: (object: T) => T,
  ): Informer<T> => {
    // A cluster without the kind has no such objects.
    const source = new OptionalSource(client.listWatch(resource, scope), clock)
    return new Informer<T>({
      ...tools,
      resource: resource.plural,
      source,
      ...(transform && { transform }),
    })
  }
  const { namespace, name } = sources.kubeconfigData
  return {
    pools: follow(api.machineConfigPools, {}, withReadPoolFields),
    controllerConfigs: follow(
      api.controllerConfigs,
      { fields: `metadata.name=${names.controllerConfig}` },
      withReadTrustFields,
    ),
    kubeconfigData: follow(configMaps, { namespace, fields: `metadata.name=${name}` }),
    osConfigs: follow(api.machineOSConfigs),
    osBuilds: follow(api.machineOSBuilds),
    images: follow(images, { fields: `metadata.name=${names.clusterConfig}` }),
  }
}

/** Drops the lists of conditions, sources and certificates. */
function withReadPoolFields({ metadata, spec, status }: MachineConfigPool): MachineConfigPool {
  const { observedGeneration, machineCount, updatedMachineCount } = status ?? {}
  const name = status?.configuration?.name
  return {
    metadata,
    spec: { ...(spec.configuration?.name && { configuration: { name: spec.configuration.name } }) },
    status: {
      ...(name && { configuration: { name } }),
      ...(observedGeneration !== undefined && { observedGeneration }),
      ...(machineCount !== undefined && { machineCount }),
      ...(updatedMachineCount !== undefined && { updatedMachineCount }),
    },
  }
}

/** Drops the fields that no machine gets, among them pull secrets. */
function withReadTrustFields({ metadata, spec }: ControllerConfig): ControllerConfig {
  const { imageRegistryBundleData, imageRegistryBundleUserData, images: named } = spec
  const machinistDaemon = named?.['machinistDaemon']
  const read = {
    kubeAPIServerServingCAData: spec.kubeAPIServerServingCAData,
    cloudProviderCAData: spec.cloudProviderCAData,
    ...(imageRegistryBundleData && { imageRegistryBundleData }),
    ...(imageRegistryBundleUserData && { imageRegistryBundleUserData }),
    infra: spec.infra,
    images: { ...(machinistDaemon !== undefined && { machinistDaemon }) },
  }
  return { metadata, spec: read as ControllerConfig['spec'] }
}
