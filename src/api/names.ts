/** Objects with a fixed name. */
export const names = {
  controllerConfig: 'machine-config-controller',
  clusterOperator: 'machine-config',
  machineConfiguration: 'cluster',
  /** The one object of each kind in config.openshift.io. */
  clusterConfig: 'cluster',
  clusterVersion: 'version',
  renderedPrefix: 'rendered-',
  /** A ConfigMap in the operator's namespace: while it is there, no change of registries.conf drains a node. */
  registryDrainOverride: 'image-registry-override-drain',
  /** In MachineConfigNodes, until the value is known. */
  notYetSet: 'not-yet-set',
} as const

/** Finalizers of ours: deleted objects stay until we let them go. */
export const finalizers = {
  /** On rendered MachineConfigs: as long as a node is in one or on its way to it. */
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

/** ConfigMaps that the operator reads. Where a comment says so it also writes them. */
export const configMaps = {
  /** CA of the config server, as the installer leaves it. */
  rootCA: source(namespaces.kubeSystem, 'root-ca', 'ca.crt'),
  /** CA of the config server where it is rotated. */
  serverCA: source(namespaces.operator, 'machine-config-server-ca'),
  /** CAs of those whom kubelets trust as callers. */
  kubeletClientCA: source(namespaces.configManaged, 'kube-apiserver-client-ca'),
  /** The same, until the one above exists. */
  initialKubeletClientCA: source(namespaces.config, 'initial-kube-apiserver-server-ca'),
  /** The signer's own bundle: the source of the kubelet client CA up to 4.12. */
  kubeletSignerBundle: source(
    namespaces.kubeAPIServerOperator,
    'kube-apiserver-to-kubelet-client-ca',
  ),
  /** CAs by which kubelets know the API server. */
  apiServerCA: source(namespaces.configManaged, 'kube-apiserver-server-ca'),
  /** Written: what of apiServerCA was last handed to the nodes. */
  kubeconfigData: source(namespaces.operator, 'kubeconfig-data'),
  /** CAs of the administrator. */
  userCA: source(namespaces.config, 'user-ca-bundle'),
  cloudConfig: source(namespaces.configManaged, 'kube-cloud-config', 'cloud.conf'),
  cloudCA: source(namespaces.configManaged, 'kube-cloud-config', 'ca-bundle.pem'),
  osImage: source(namespaces.operator, 'machine-config-osimageurl', 'baseOSContainerImage'),
  /** Images of the release, as JSON. */
  images: source(namespaces.operator, 'machine-config-operator-images', 'images.json'),
} as const

/** ConfigMaps of which every key counts: one per image registry. */
export const registryCAs = {
  managed: { namespace: namespaces.configManaged, name: 'image-registry-ca' },
  /** Written: the managed and the administrator's CAs together. */
  merged: { namespace: namespaces.configManaged, name: 'merged-trusted-image-registry-ca' },
} as const

/**
 * A ConfigMap that says what OpenShift's own objects would, on clusters that have none: a key for each of them, and some
 * of our own. Optional.
 */
export const clusterFacts = { namespace: namespaces.operator, name: 'machinist-cluster' } as const

/** The ServiceAccount whose pull secrets are those for the cluster's own image registry. */
export const registryPuller = {
  namespace: namespaces.operator,
  name: 'machine-os-puller',
} as const

/** The ClusterOperator that is there where the cluster has an image registry of its own. */
export const registryOperator = { name: 'image-registry' } as const

/** Exists as soon as the installation's bootstrap is over. */
export const bootstrapMark = { namespace: namespaces.kubeSystem, name: 'bootstrap' } as const

export const secrets = {
  pullSecret: source(namespaces.config, 'pull-secret', '.dockerconfigjson'),
  /** Keys `tls.crt` and `tls.key`: the CA that signs the API server's certificate towards kubelets. */
  kubeletSigner: {
    namespace: namespaces.kubeAPIServerOperator,
    name: 'kube-apiserver-to-kubelet-signer',
  },
  /** Keys `tls.crt` and `tls.key`: the certificate that the API server shows to kubelets. */
  kubeletClient: { namespace: namespaces.kubeAPIServer, name: 'kubelet-client' },
  /** Keys `tls.crt` and `tls.key`: the config server's own certificate. */
  serverTLS: { namespace: namespaces.operator, name: 'machine-config-server-tls' },
} as const

/** The Lease of those who sign, in the operator's namespace unless said. */
export const signerLease = 'machinist-signer'

/** Keys of a signer Secret. The previous pair is there for as long as anything may need it. */
export const signerKeys = {
  certificate: 'tls.crt',
  key: 'tls.key',
  previousCertificate: 'previous.crt',
  previousKey: 'previous.key',
} as const

/** Bundles as `status.controllerCertificates[].bundleFile` names them, in this order. */
export const certificateBundles = {
  kubeAPIServerServingCA: 'KubeAPIServerServingCAData',
  cloudProviderCA: 'CloudProviderCAData',
  rootCA: 'RootCAData',
  additionalTrustBundle: 'AdditionalTrustBundle',
} as const
