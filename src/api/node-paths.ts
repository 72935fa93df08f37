/** Paths on a node. MCO, administrators and scripts rely on them. */
const state = '/etc/machine-config-daemon'

export const nodePaths = {
  /** The state directory of the daemon. */
  state,
  /** The MachineConfig that is applied to the disk. */
  currentConfig: `${state}/currentconfig`,
  /** The layered OS image of the current config. */
  currentImage: `${state}/currentimage`,
  /** Annotations for the Node of a new machine; exists until the machine has joined. */
  nodeAnnotations: `${state}/node-annotations.json`,
  nodeAnnotationsDone: `${state}/node-annotation.json.bak`,
  /** Original files that a config replaced, as `<path>.mcdorig`. */
  originals: `${state}/orig`,
  /** Markers for paths without an original file, as `<path>.mcdnoorig`. */
  noOriginals: `${state}/noorig`,
  /** The journal of the update in progress. */
  journal: `${state}/journal`,
  /** Directories that updates created; they are removed with their last file. */
  madeDirectories: `${state}/made-directories.json`,
  /** Written on first boot: the config without its Ignition part. */
  encapsulated: '/etc/ignition-machine-config-encapsulated.json',
  /** Written on first boot: the config as served. */
  served: '/etc/mcs-machine-config-content.json',
  /** Written on first boot: the image of the daemon that completes it. */
  firstBootEnvironment: '/etc/machinist/first-boot.env',
  /** Created by an administrator: rewrite everything, whatever the state of the disk. */
  force: '/run/machine-config-daemon-force',
  /** CAs with which the kubelet verifies client certificates. */
  kubeletCA: '/etc/kubernetes/kubelet-ca.crt',
  cloudCA: '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
  /** CAs of image registries, one directory per host. */
  registryCAs: '/etc/docker/certs.d',
  /** Credentials for the internal image registry. */
  registryPullSecret: '/etc/mco/internal-registry-pull-secret.json',
  /** The kubeconfig with which a kubelet requests its first certificate. */
  bootstrapKubeconfig: '/etc/kubernetes/kubeconfig',
  /** The kubeconfig of the kubelet. */
  kubeletKubeconfig: '/var/lib/kubelet/kubeconfig',
  /** Record of the writes of the trust lane. Contains no secrets. */
  trust: `${state}/trust.json`,
  /** The pinned images of this node, and the progress of pulling them. */
  pinnedImagesNotes: `${state}/pinned-images.json`,
  /** The KubeletConfiguration. */
  kubeletConf: '/etc/kubernetes/kubelet.conf',
  /** Configurations of credential providers for image registries; a flag of the kubelet selects one of the files. */
  credentialProviders: '/etc/kubernetes/credential-providers',
  /** Sets that flag on platforms without a credential provider of their own. */
  credentialProviderDropin:
    '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf',
  /** Resources reserved for the system, or that the node calculates them. */
  nodeSizing: '/etc/node-sizing-enabled.env',
  /** Drop-in configuration files of CRI-O. */
  crioDropins: '/etc/crio/crio.conf.d',
  pinnedImages: '/etc/crio/crio.conf.d/50-pinned-images',
  containerStorage: '/etc/containers/storage.conf',
  registries: '/etc/containers/registries.conf',
  registryDropins: '/etc/containers/registries.conf.d',
  imagePolicy: '/etc/containers/policy.json',
  units: '/etc/systemd/system',
  ignitionPreset: '/etc/systemd/system-preset/20-ignition.preset',
} as const

export const unitPath = (unit: string): string => `${nodePaths.units}/${unit}`

export const dropinPath = (unit: string, dropin: string): string =>
  `${nodePaths.units}/${unit}.d/${dropin}`

export const originalPath = (path: string): string => `${nodePaths.originals}${path}.mcdorig`

export const noOriginalPath = (path: string): string => `${nodePaths.noOriginals}${path}.mcdnoorig`
