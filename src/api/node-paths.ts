/** Where things are on a node: known to the original, to administrators and to scripts. */
const state = '/etc/machine-config-daemon'

export const nodePaths = {
  /** Everything that the daemon remembers. */
  state,
  /** The MachineConfig that the disk is in. */
  currentConfig: `${state}/currentconfig`,
  /** The layered image that goes with it. */
  currentImage: `${state}/currentimage`,
  /** What a new machine tells about itself before it has a Node object; there while it joins. */
  nodeAnnotations: `${state}/node-annotations.json`,
  nodeAnnotationsDone: `${state}/node-annotation.json.bak`,
  /** Files that were there before a config replaced them, as `<path>.mcdorig`. */
  originals: `${state}/orig`,
  /** Stamps for paths that had nothing before, as `<path>.mcdnoorig`. */
  noOriginals: `${state}/noorig`,
  /** The update that is under way. */
  journal: `${state}/journal`,
  /** Directories that updates made, so that the last file takes them along. */
  madeDirectories: `${state}/made-directories.json`,
  /** Left by first boot: the config without its Ignition part. */
  encapsulated: '/etc/ignition-machine-config-encapsulated.json',
  /** Left by first boot: the config as it was served. */
  served: '/etc/mcs-machine-config-content.json',
  /** An administrator wants everything written anew, whatever the disk looks like. */
  force: '/run/machine-config-daemon-force',
  /** CAs of those whom the kubelet trusts as callers. */
  kubeletCA: '/etc/kubernetes/kubelet-ca.crt',
  cloudCA: '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
  /** CAs of image registries: one directory per host. */
  registryCAs: '/etc/docker/certs.d',
  /** Credentials for the cluster's own image registry. */
  registryPullSecret: '/etc/mco/internal-registry-pull-secret.json',
  /** With which a kubelet asks for its first certificate. */
  bootstrapKubeconfig: '/etc/kubernetes/kubeconfig',
  /** The kubelet's own. */
  kubeletKubeconfig: '/var/lib/kubelet/kubeconfig',
  /** What the trust lane wrote and when; no secrets in it. */
  trust: `${state}/trust.json`,
  /** Which images this node shall keep, and how far that is. */
  pinnedImagesNotes: `${state}/pinned-images.json`,
  /** The kubelet's own configuration, a KubeletConfiguration. */
  kubeletConf: '/etc/kubernetes/kubelet.conf',
  /** Whom the kubelet asks for credentials of image registries; it is told which file of these to read. */
  credentialProviders: '/etc/kubernetes/credential-providers',
  /** Tells it so where the cloud has no provider of its own. */
  credentialProviderDropin:
    '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf',
  /** What is kept from pods on this node, or that the node works it out by itself. */
  nodeSizing: '/etc/node-sizing-enabled.env',
  /** Settings of CRI-O, one file for each. */
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
