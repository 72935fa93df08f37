import type { ConfigMap } from '@machinist/kube/kinds/core'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { bundleFile } from '../../api/trust/digests.ts'
import { apiServerAuthorities } from '../../fleet/trust/api-server-authorities.ts'
import { bundleProblem } from '../../fleet/trust/bundle-problem.ts'
import type { Image } from '../../api/openshift-config.ts'
import { chooseConfig } from '../answer/choose-config.ts'
import { sameTrust, servedTrust } from '../answer/served-trust.ts'
import type { ImageFacts, KubeconfigSource, ServerState } from '../answer/state.ts'

/** The objects of the cluster that answers depend on. */
export interface ClusterObjects {
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly kubeconfigData: Readonly<ConfigMap> | undefined
  readonly osConfigs: ImageFacts['osConfigs']
  readonly osBuilds: ImageFacts['osBuilds']
  readonly image: Readonly<Image> | undefined
  /** Overrides the URL in the ControllerConfig. */
  readonly apiServerUrl: string | undefined
}

export type AssembledState = Omit<ServerState, 'asOf'>

/** Pure: the state from the objects of the cluster. Parts that are equal to those of `before` are the same objects. */
export function assembleState(
  objects: ClusterObjects,
  configs: ReadonlyMap<string, Readonly<MachineConfig>>,
  before: AssembledState | undefined,
): AssembledState {
  const { controllerConfig } = objects
  const trust = controllerConfig && servedTrust(controllerConfig.spec)
  const kubeconfig = kubeconfigSource(objects)
  const images = imageFacts(objects)
  return {
    pools: poolsWithConfig(objects.pools, configs, before),
    configs,
    images: before && sameImages(before.images, images) ? before.images : images,
    trust: sameTrust(before?.trust, trust) ? before?.trust : trust,
    kubeconfig:
      before && sameKubeconfig(before.kubeconfig, kubeconfig) ? before.kubeconfig : kubeconfig,
    daemonImage: daemonImageOf(controllerConfig),
  }
}

/** Part of an environment file: anything but a reference could set another variable. */
function daemonImageOf(config: Readonly<ControllerConfig> | undefined): string | undefined {
  const image = config?.spec.images?.['machinistDaemon'] ?? ''
  return /^[\w.:/@[\]-]+$/.test(image) ? image : undefined
}

/** A pool whose next config could not be read keeps its last one. */
function poolsWithConfig(
  pools: readonly Readonly<MachineConfigPool>[],
  configs: ReadonlyMap<string, Readonly<MachineConfig>>,
  before: AssembledState | undefined,
): ReadonlyMap<string, Readonly<MachineConfigPool>> {
  const hasConfig = (pool: Readonly<MachineConfigPool>): boolean => {
    const name = chooseConfig(pool)
    return name !== undefined && configs.has(name)
  }
  return new Map(
    pools.map((pool) => {
      const { name } = pool.metadata
      const last = before?.pools.get(name)
      const isMissing = chooseConfig(pool) !== undefined && !hasConfig(pool)
      return [name, isMissing && last && hasConfig(last) ? last : pool]
    }),
  )
}

function kubeconfigSource(objects: ClusterObjects): KubeconfigSource {
  const { kubeconfigData, controllerConfig, apiServerUrl } = objects
  const infra = controllerConfig?.spec.infra
  return {
    type: 'credential',
    server: apiServerUrl ?? (infra?.status?.apiServerInternalURI || undefined),
    authorities:
      (kubeconfigData && apiServerAuthorities(kubeconfigData)?.pem) ??
      authoritiesOf(controllerConfig),
  }
}

/** Used until ConfigMap kubeconfig-data exists. Where one CA signs all certificates, this bundle contains it. */
function authoritiesOf(config: Readonly<ControllerConfig> | undefined): string | undefined {
  const data = config?.spec.kubeAPIServerServingCAData
  const file = data ? bundleFile(data) : undefined
  return file && bundleProblem(file) === undefined ? Buffer.from(file).toString() : undefined
}

function imageFacts({ osConfigs, osBuilds, image }: ClusterObjects): ImageFacts {
  const { internalRegistryHostname, externalRegistryHostnames = [] } = image?.status ?? {}
  const hosts = [internalRegistryHostname, ...externalRegistryHostnames]
  const internalRegistries = hosts.filter((host): host is string => Boolean(host))
  return { osConfigs, osBuilds, internalRegistries }
}

const sameImages = (a: ImageFacts, b: ImageFacts): boolean =>
  sameItems(a.osConfigs, b.osConfigs) &&
  sameItems(a.osBuilds, b.osBuilds) &&
  sameItems(a.internalRegistries, b.internalRegistries)

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

function sameKubeconfig(a: KubeconfigSource, b: KubeconfigSource): boolean {
  if (a.type === 'file' || b.type === 'file') return false
  return a.server === b.server && a.authorities === b.authorities
}
