import type { KubeObject } from '@machinist/core/objects/resource'
import type { ConfigMap, Service } from '@machinist/kube/kinds/core'
import type { DNS, Infrastructure, Network, Proxy } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { ClusterReading } from '../inputs/cluster-reading.ts'

/** Everything that determines the cluster facts of the ControllerConfig. */
export interface ClusterFacts {
  readonly stored: Readonly<ControllerConfig> | undefined
  /** How long the first write still waits for that of the trust controller; 0 if it does not wait. */
  readonly trustWaitMs: number
  readonly versions: ReleaseVersions
  readonly infrastructure: ClusterReading<Infrastructure>
  readonly network: ClusterReading<Network>
  readonly proxy: ClusterReading<Proxy>
  readonly dns: ClusterReading<DNS>
  /** Service `default/kubernetes` of the API server. */
  readonly apiService: Readonly<Service> | undefined
  /** Undefined while it is unknown. */
  readonly isOpenShift: boolean | undefined
  /** The release that release objects must belong to: that of the operator, or else that of the cluster. */
  readonly release: string | undefined
  readonly releaseImages: ClusterReading<Readonly<ConfigMap>>
  readonly osImages: ClusterReading<Readonly<ConfigMap>>
  readonly cloudConfig: ClusterReading<Readonly<ConfigMap>>
  readonly pullSecret: ClusterReading<Readonly<KubeObject>>
  /** The ConfigMap machinist-cluster, and the values of its scalar keys. */
  readonly configMap: ClusterReading<Readonly<ConfigMap>>
  readonly facts: {
    readonly images: ClusterReading<unknown>
    readonly baseOSContainerImage: ClusterReading<string>
    readonly baseOSExtensionsContainerImage: ClusterReading<string>
    readonly certificateDelivery: ClusterReading<string>
    readonly containerRuntime: ClusterReading<string>
  }
}

export interface ReleaseVersions {
  /** The version of Machinist. */
  readonly version: string
  /** The release of the cluster that Machinist is part of. */
  readonly release: string
}
