import type { Condition, KubeObject, Resource } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { TlsSecurityProfile } from './schema/tls-profile.ts'

/**
 * OpenShift's configuration objects, with the fields that Machinist reads. OpenShift provides their definitions; on other
 * clusters they are absent, except for `imageRegistryKinds` if those are installed. Machinist writes only ClusterOperator, and the
 * status of some others.
 */
export interface Infrastructure extends KubeObject {
  spec: {
    cloudConfig?: { name?: string; key?: string }
    platformSpec?: { type?: string }
  }
  status?: {
    infrastructureName?: string
    apiServerURL?: string
    apiServerInternalURI?: string
    etcdDiscoveryDomain?: string
    controlPlaneTopology?: string
    infrastructureTopology?: string
    /** Older than platformStatus; read if that is absent. */
    platform?: string
    platformStatus?: PlatformStatus
  }
}

/** `type` names the platform; the details are under its name in lower camel case. */
export interface PlatformStatus {
  type?: string
  aws?: CloudPlatform
  azure?: CloudPlatform & { cloudName?: string }
  gcp?: CloudPlatform
  baremetal?: OnPremPlatform
  openstack?: OnPremPlatform
  ovirt?: OnPremPlatform
  vsphere?: OnPremPlatform
  nutanix?: OnPremPlatform
  external?: { cloudControllerManager?: { state?: string } }
}

export interface CloudPlatform {
  cloudLoadBalancerConfig?: {
    dnsType?: string
    clusterHosted?: {
      apiIntLoadBalancerIPs?: string[]
      apiLoadBalancerIPs?: string[]
      ingressLoadBalancerIPs?: string[]
    }
  }
}

export interface OnPremPlatform {
  /** Older than the lists; read if those are absent. */
  apiServerInternalIP?: string
  ingressIP?: string
  apiServerInternalIPs?: string[]
  ingressIPs?: string[]
  dnsRecordsType?: string
  loadBalancer?: { type?: string }
}

export interface Network extends KubeObject {
  spec: { networkType?: string; serviceNetwork?: string[] }
  status?: {
    networkType?: string
    serviceNetwork?: string[]
    migration?: { networkType?: string; mtu?: MtuMigration }
  }
}

export interface MtuMigration {
  network?: { from?: number; to?: number }
  machine?: { from?: number; to?: number }
}

export interface Proxy extends KubeObject {
  spec: { trustedCA?: { name?: string } }
  status?: { httpProxy?: string; httpsProxy?: string; noProxy?: string }
}

export interface DNS extends KubeObject {
  spec: { baseDomain?: string }
}

export interface Image extends KubeObject {
  spec: { additionalTrustedCA?: { name?: string }; registrySources?: RegistrySources }
  status?: { internalRegistryHostname?: string; externalRegistryHostnames?: string[] }
}

export interface RegistrySources {
  insecureRegistries?: string[]
  blockedRegistries?: string[]
  allowedRegistries?: string[]
  containerRuntimeSearchRegistries?: string[]
}

export interface Scheduler extends KubeObject {
  spec: { mastersSchedulable?: boolean }
}

export interface APIServer extends KubeObject {
  spec: { tlsSecurityProfile?: TlsSecurityProfile | null }
}

export interface ClusterVersion extends KubeObject {
  spec?: { clusterID?: string }
  status?: { desired?: { version?: string; image?: string } }
}

export interface FeatureGate extends KubeObject {
  spec: {
    featureSet?: string
    customNoUpgrade?: { enabled?: string[]; disabled?: string[] } | null
  }
  status?: { featureGates?: FeatureGateVersion[] }
}

export interface FeatureGateVersion {
  version: string
  enabled?: { name: string }[]
  disabled?: { name: string }[]
}

/** Node of config.openshift.io: settings for all nodes. Not the core Node. */
export interface NodeConfig extends KubeObject {
  spec: { cgroupMode?: string; workerLatencyProfile?: string }
}

export interface MirrorRule {
  source: string
  mirrors?: string[]
  /** `AllowContactingSource` by default, or `NeverContactSource`. */
  mirrorSourcePolicy?: string
}

export interface ImageDigestMirrorSet extends KubeObject {
  spec: { imageDigestMirrors?: MirrorRule[] }
}

export interface ImageTagMirrorSet extends KubeObject {
  spec: { imageTagMirrors?: MirrorRule[] }
}

export interface ImageContentSourcePolicy extends KubeObject {
  spec: { repositoryDigestMirrors?: Pick<MirrorRule, 'source' | 'mirrors'>[] }
}

/** Predecessor of the mirror sets, rarely used. */
export interface ImageContentPolicy extends KubeObject {
  spec: {
    repositoryDigestMirrors?: (Pick<MirrorRule, 'source' | 'mirrors'> & {
      /** Whether the mirrors serve tags as well. */
      allowMirrorByTags?: boolean
    })[]
  }
}

/** The signatures that images must have, cluster-wide or in one namespace. */
export interface ImagePolicySpec {
  scopes?: string[]
  policy?: {
    rootOfTrust?: {
      policyType?: string
      publicKey?: { keyData?: string; rekorKeyData?: string } | null
      fulcioCAWithRekor?: {
        fulcioCAData?: string
        rekorKeyData?: string
        fulcioSubject?: { oidcIssuer?: string; signedEmail?: string }
      } | null
      pki?: {
        caRootsData?: string
        caIntermediatesData?: string
        pkiCertificateSubject?: { email?: string; hostname?: string }
      } | null
    }
    signedIdentity?: {
      matchPolicy?: string
      exactRepository?: { repository?: string } | null
      remapIdentity?: { prefix?: string; signedPrefix?: string } | null
    } | null
  }
}

export interface ClusterImagePolicy extends KubeObject {
  spec: ImagePolicySpec
}

export interface ImagePolicy extends KubeObject {
  spec: ImagePolicySpec
  status?: { conditions?: Condition[] }
}

/** The images for which kubelets use CRI-O's credential provider. */
export interface CRIOCredentialProviderConfig extends KubeObject {
  spec?: { matchImages?: string[] }
  status?: { conditions?: Condition[] }
}

export interface ClusterOperator extends KubeObject {
  spec: Record<string, never>
  status?: ClusterOperatorStatus
}

export interface ClusterOperatorStatus {
  conditions?: Condition[]
  versions?: { name: string; version: string }[]
  relatedObjects?: { group: string; resource: string; namespace?: string; name: string }[]
  extension?: Record<string, unknown> | null
}

function configResource<T extends KubeObject>(kind: string, plural: string): Resource<T> {
  return resource<T>({
    group: 'config.openshift.io',
    version: 'v1',
    kind,
    plural,
    namespaced: false,
  })
}

export const infrastructures = configResource<Infrastructure>('Infrastructure', 'infrastructures')
export const networks = configResource<Network>('Network', 'networks')
export const proxies = configResource<Proxy>('Proxy', 'proxies')
export const dnses = configResource<DNS>('DNS', 'dnses')
export const images = configResource<Image>('Image', 'images')
export const schedulers = configResource<Scheduler>('Scheduler', 'schedulers')
export const apiServers = configResource<APIServer>('APIServer', 'apiservers')
export const clusterVersions = configResource<ClusterVersion>('ClusterVersion', 'clusterversions')
export const featureGates = configResource<FeatureGate>('FeatureGate', 'featuregates')
export const nodeConfigs = configResource<NodeConfig>('Node', 'nodes')
export const imageDigestMirrorSets = configResource<ImageDigestMirrorSet>(
  'ImageDigestMirrorSet',
  'imagedigestmirrorsets',
)
export const imageTagMirrorSets = configResource<ImageTagMirrorSet>(
  'ImageTagMirrorSet',
  'imagetagmirrorsets',
)
export const imageContentPolicies = configResource<ImageContentPolicy>(
  'ImageContentPolicy',
  'imagecontentpolicies',
)
export const clusterImagePolicies = configResource<ClusterImagePolicy>(
  'ClusterImagePolicy',
  'clusterimagepolicies',
)
export const imagePolicies = resource<ImagePolicy>({
  group: 'config.openshift.io',
  version: 'v1',
  kind: 'ImagePolicy',
  plural: 'imagepolicies',
  namespaced: true,
})
export const crioCredentialProviderConfigs = configResource<CRIOCredentialProviderConfig>(
  'CRIOCredentialProviderConfig',
  'criocredentialproviderconfigs',
)
export const clusterOperators = configResource<ClusterOperator>(
  'ClusterOperator',
  'clusteroperators',
)

export const imageContentSourcePolicies = resource<ImageContentSourcePolicy>({
  group: 'operator.openshift.io',
  version: 'v1alpha1',
  kind: 'ImageContentSourcePolicy',
  plural: 'imagecontentsourcepolicies',
  namespaced: false,
})
