import type { DNS, Infrastructure, Network, Proxy } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { ConfigMap, Service } from '@machinist/kube/kinds/core'
import type { Reading } from '../inputs/cluster-reading.ts'

/** All that is known about the cluster when a ControllerConfig is to be written. */
export interface ClusterFacts {
  readonly stored: Readonly<ControllerConfig> | undefined
  readonly infrastructure: Reading<Infrastructure>
  readonly network: Reading<Network>
  readonly proxy: Reading<Proxy>
  readonly dns: Reading<DNS>
  /** The Service under which pods find the API server. */
  readonly apiService: Readonly<Service> | undefined
  /** Undefined while the API does not say. */
  readonly isOpenShift: boolean | undefined
  /** The release that objects of it must be of: that of the operator if it belongs to one, else that of the cluster. */
  readonly release: string | undefined
  readonly releaseImages: Reading<Readonly<ConfigMap>>
  readonly osImages: Reading<Readonly<ConfigMap>>
  readonly cloudConfig: Reading<Readonly<ConfigMap>>
  readonly pullSecret: Reading<Readonly<KubeObject>>
  /** The ConfigMap machinist-cluster, and what is under those of its keys that are no object. */
  readonly configMap: Reading<Readonly<ConfigMap>>
  readonly facts: {
    readonly images: Reading<unknown>
    readonly baseOSContainerImage: Reading<string>
    readonly baseOSExtensionsContainerImage: Reading<string>
    readonly certificateDelivery: Reading<string>
    readonly containerRuntime: Reading<string>
  }
}

export const factKeys: ReadonlySet<string> = new Set([
  'infrastructure',
  'network',
  'proxy',
  'dns',
  'image',
  'images',
  'baseOSContainerImage',
  'baseOSExtensionsContainerImage',
  'certificateDelivery',
  'containerRuntime',
])
