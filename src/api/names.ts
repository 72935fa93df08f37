/** Objects with a fixed name. */
export const names = {
  controllerConfig: 'machine-config-controller',
  clusterOperator: 'machine-config',
  machineConfiguration: 'cluster',
  /** The TrustRotation of the machine config server. The operator creates it. */
  serverRotation: 'machine-config-server',
  /** The singleton of each kind in config.openshift.io. */
  clusterConfig: 'cluster',
  clusterVersion: 'version',
  renderedPrefix: 'rendered-',
  /** A ConfigMap in the operator's namespace: while it exists, no change of registries.conf drains a node. */
  registryDrainOverride: 'image-registry-override-drain',
  /** A placeholder in MachineConfigNodes until the value is known. */
  notYetSet: 'not-yet-set',
} as const

/** Machinist's finalizers. */
export const finalizers = {
  /** On rendered MachineConfigs that a node runs or is updating to. */
  inUse: 'machinist.dev/in-use',
} as const

export const namespaces = {
  operator: 'openshift-machine-config-operator',
  config: 'openshift-config',
  configManaged: 'openshift-config-managed',
  kubeAPIServerOperator: 'openshift-kube-apiserver-operator',
  kubeAPIServer: 'openshift-kube-apiserver',
  machineAPI: 'openshift-machine-api',
  kubeSystem: 'kube-system',
  /** Provisioning tokens, in a namespace of their own: the machine config server reads them and no other Secrets. */
  provisioning: 'machinist-provisioning',
} as const

export const pools = { master: 'master', worker: 'worker', arbiter: 'arbiter' } as const

export const kernelTypes = {
  default: 'default',
  realtime: 'realtime',
  pages64k: '64k-pages',
} as const

/** One key of a ConfigMap or Secret with a fixed name. */
export interface DataSource {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

const bundleKey = 'ca-bundle.crt'
const source = (namespace: string, name: string, key: string = bundleKey): DataSource => ({
  namespace,
  name,
  key,
})

/** ConfigMaps that the operator reads; those marked as written it also writes. */
export const configMaps = {
  /** CA of the config server, created by the installer. */
  rootCA: source(namespaces.kubeSystem, 'root-ca', 'ca.crt'),
  /** CA of the config server, if it is rotated. */
  serverCA: source(namespaces.operator, 'machine-config-server-ca'),
  /** CAs with which kubelets verify client certificates. */
  kubeletClientCA: source(namespaces.configManaged, 'kube-apiserver-client-ca'),
  /** Used until `kubeletClientCA` exists. */
  initialKubeletClientCA: source(namespaces.config, 'initial-kube-apiserver-server-ca'),
  /** The bundle of the signer: the source of the kubelet client CA up to 4.12. */
  kubeletSignerBundle: source(
    namespaces.kubeAPIServerOperator,
    'kube-apiserver-to-kubelet-client-ca',
  ),
  /** CAs with which kubelets verify the API server. */
  apiServerCA: source(namespaces.configManaged, 'kube-apiserver-server-ca'),
  /** Written: the part of `apiServerCA` that was last delivered to the nodes. */
  kubeconfigData: source(namespaces.operator, 'kubeconfig-data'),
  /** CAs of the administrator. */
  userCA: source(namespaces.config, 'user-ca-bundle'),
  cloudConfig: source(namespaces.configManaged, 'kube-cloud-config', 'cloud.conf'),
  cloudCA: source(namespaces.configManaged, 'kube-cloud-config', 'ca-bundle.pem'),
  osImage: source(namespaces.operator, 'machine-config-osimageurl', 'baseOSContainerImage'),
  /** Images of the release, as JSON. */
  images: source(namespaces.operator, 'machine-config-operator-images', 'images.json'),
} as const

/** ConfigMaps with one key per image registry. */
export const registryCAs = {
  managed: { namespace: namespaces.configManaged, name: 'image-registry-ca' },
  /** Written: the managed CAs merged with those of the administrator. */
  merged: { namespace: namespaces.configManaged, name: 'merged-trusted-image-registry-ca' },
} as const

/**
 * An optional ConfigMap that provides cluster facts on clusters without OpenShift's objects: one key for each of those objects,
 * and some keys of Machinist.
 */
export const clusterFacts = { namespace: namespaces.operator, name: 'machinist-cluster' } as const

/** A ConfigMap with the CAs in the user data of each pool. The operator writes it, the signer reads it. */
export const userDataRecord = {
  namespace: namespaces.operator,
  name: 'machine-config-user-data',
} as const

/** The ServiceAccount whose pull secrets give access to the internal image registry. */
export const registryPuller = {
  namespace: namespaces.operator,
  name: 'machine-os-puller',
} as const

/** The ClusterOperator that exists if the cluster has an internal image registry. */
export const registryOperator = { name: 'image-registry' } as const

/** A ConfigMap that exists once the bootstrap of the installation is complete. */
export const bootstrapMark = { namespace: namespaces.kubeSystem, name: 'bootstrap' } as const

export const secrets = {
  pullSecret: source(namespaces.config, 'pull-secret', '.dockerconfigjson'),
  /** Keys `tls.crt` and `tls.key`: the CA that signs the kubelet client certificate of the API server. */
  kubeletSigner: {
    namespace: namespaces.kubeAPIServerOperator,
    name: 'kube-apiserver-to-kubelet-signer',
  },
  /** Keys `tls.crt` and `tls.key`: the client certificate that the API server presents to kubelets. */
  kubeletClient: { namespace: namespaces.kubeAPIServer, name: 'kubelet-client' },
  /** Keys `tls.crt` and `tls.key`: the CA that signs the serving certificate of the config server. */
  serverCA: { namespace: namespaces.operator, name: 'machine-config-server-ca' },
  /** Keys `tls.crt` and `tls.key`: the serving certificate of the config server. */
  serverTLS: { namespace: namespaces.operator, name: 'machine-config-server-tls' },
} as const

/** A Secret with a token that authorizes new machines of a pool to read its config. */
export const provisioningToken = {
  type: 'machinist.dev/provisioning-token',
  keys: { current: 'token', previous: 'previous' },
  /** The Secret that the operator maintains is named after the pool: `provisioning-token-worker`. */
  managedPrefix: 'provisioning-token-',
} as const

/** The leader election Lease of the signer, by default in the operator's namespace. */
export const signerLease = 'machinist-signer'

/** Keys of a signer Secret. The previous pair is kept as long as it may be needed. */
export const signerKeys = {
  certificate: 'tls.crt',
  key: 'tls.key',
  previousCertificate: 'previous.crt',
  previousKey: 'previous.key',
} as const

/** Values of `status.controllerCertificates[].bundleFile`, in this order. */
export const certificateBundles = {
  kubeAPIServerServingCA: 'KubeAPIServerServingCAData',
  cloudProviderCA: 'CloudProviderCAData',
  rootCA: 'RootCAData',
  additionalTrustBundle: 'AdditionalTrustBundle',
} as const
