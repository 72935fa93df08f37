/** Annotation keys of the API, by the object that carries them. */
const domain = 'machineconfiguration.openshift.io'

/** On Nodes: the protocol between the rollout controller, the drain controller and the daemon. */
export const nodeAnnotations = {
  /** The rendered MachineConfig that the node runs. Written by the daemon. */
  currentConfig: `${domain}/currentConfig`,
  /** The rendered MachineConfig that the node must run. Written by the rollout controller. */
  desiredConfig: `${domain}/desiredConfig`,
  /** The layered OS image in use. Written by the daemon. Without image annotations the node is not layered. */
  currentImage: `${domain}/currentImage`,
  /** The desired layered OS image. Written by the rollout controller. */
  desiredImage: `${domain}/desiredImage`,
  /** One of `nodeStates`; absent means Done. Written by the daemon. */
  state: `${domain}/state`,
  /** Why the state is Degraded or Unreconcilable, at most 2000 characters. Written by the daemon. */
  reason: `${domain}/reason`,
  /** `Rebooting` from just before a reboot. Written by the daemon. */
  postConfigAction: `${domain}/post-config-action`,
  /** Why the last boot could not finalize the staged OS deployment. Written by the daemon. */
  finalizeStagedFailure: `${domain}/ostree-finalize-staged-failure`,
  /** `drain-<config>` or `uncordon-<config>`. Written by the daemon. */
  desiredDrain: `${domain}/desiredDrain`,
  /** The last desiredDrain that was completed. Written by the drain controller. */
  lastAppliedDrain: `${domain}/lastAppliedDrain`,
  /** The control plane topology of the cluster, for the daemon. Written by the rollout controller. */
  controlPlaneTopology: `${domain}/controlPlaneTopology`,
  /** The rendered MachineConfig that the machine was served. Written on first boot. */
  firstPivotConfig: `${domain}/firstPivotConfig`,
  /** Set once the node has the labels of the custom pool that it booted into. Written by the rollout controller. */
  customPoolLabelsApplied: `${domain}/customPoolLabelsApplied`,
  /** The resourceVersion of the ControllerConfig whose certificates are on disk. Written by the daemon's trust lane. */
  lastSyncedControllerConfigResourceVersion: `${domain}/lastSyncedControllerConfigResourceVersion`,
  /** The last observed value of service-ca-rotate. Written by the daemon's trust lane. */
  lastObservedServerCAAnnotation: `${domain}/lastObservedServerCAAnnotation`,
  /** `accessed` after an SSH login. Written by daemons up to 4.12. */
  ssh: `${domain}/ssh`,
} as const

/** On Nodes, Machinist only. */
export const ownNodeAnnotations = {
  /** The drain in progress, its start, and whether the node was cordoned before. Written by the drain controller with its cordon. */
  drain: 'machinist.dev/drain',
  /** `from` of the last turn that was withdrawn before desiredConfig was set. Written by the rollout controller. */
  withdrawnTurn: 'machinist.dev/withdrawn-turn',
} as const

/** On MachineConfigPools, Machinist only. */
export const ownPoolAnnotations = {
  /** The nodes that have a turn, and the durations of past turns. Written by the rollout controller. */
  rollout: 'machinist.dev/rollout',
  /** Number of failed nodes after which a rollout stops. Defaults to the budget of the pool. Set by users. */
  stopAfterFailures: 'machinist.dev/stop-after-failures',
  /** `true`: maxUnavailable may cover all nodes of the pool. Set by users. */
  allowWholePool: 'machinist.dev/allow-whole-pool-unavailable',
  /** How long a provisioning token is in use before it is rotated: `720h` by default. Set by users. */
  provisioningTokenRefresh: 'machinist.dev/provisioning-token-refresh',
  /** How long the previous provisioning token stays valid after a rotation: `168h` by default. Set by users. */
  provisioningTokenOverlap: 'machinist.dev/provisioning-token-overlap',
} as const

/** On provisioning token Secrets. Times are RFC 3339. */
export const provisioningTokenAnnotations = {
  /** When the current token was created. Written by the operator and the CLI. */
  issuedAt: 'machinist.dev/token-issued-at',
  /** Until when the previous token is accepted. Written by the operator. */
  previousValidUntil: 'machinist.dev/previous-valid-until',
  /** Until when the Secret is accepted at all; forever by default. Set by users. */
  expiresAt: 'machinist.dev/token-expires-at',
  /** Comma-separated CIDR ranges of client addresses; all by default. Set by users. */
  cidrs: 'machinist.dev/token-cidrs',
  /** `1`: the token is accepted once. Set by users. */
  uses: 'machinist.dev/token-uses',
  /** When the single-use token was used. Written by the server. */
  usedAt: 'machinist.dev/token-used-at',
  /** The client address that used it. Written by the server. */
  usedBy: 'machinist.dev/token-used-by',
} as const

/** On ControllerConfig, Machinist only. Written by the operator unless noted, read by the template controller and daemons. */
export const ownControllerConfigAnnotations = {
  /** `direct` (default): the trust lane delivers certificates. `rendered`: MachineConfigs contain them, as up to 4.12. */
  certificateDelivery: 'machinist.dev/certificate-delivery',
  /** The container runtime of all nodes: `crio` (default) or `containerd`. */
  containerRuntime: 'machinist.dev/container-runtime',
  /** The distribution of the kubelets: `openshift` or `kubernetes`. See api/distribution.ts. */
  distribution: 'machinist.dev/distribution',
  /** Prefix of a role: digest of its stored template results. Written by the template controller, read by render. */
  templatesPrefix: 'machinist.dev/templates.',
  /** The ConfigMap that provided cluster facts in place of OpenShift's objects. Recorded so that its deletion is noticed. */
  clusterFacts: 'machinist.dev/cluster-facts',
  /** Digests of the trust items, as JSON: see api/trust. Daemons read a payload only if its digest differs. */
  trustDigests: 'machinist.dev/trust-digests',
  /** Digests of the PinnedImageSets by pool, as JSON: see api/pinned-images. Written by the pinned-images controller. */
  pinnedImages: 'machinist.dev/pinned-images',
} as const

/** On the ConfigMap kubeconfig-data, Machinist only. Written and read by the operator. */
export const ownKubeconfigDataAnnotations = {
  /** New CAs of the API server that are not delivered yet, and since when they have been unchanged, as JSON. */
  pending: 'machinist.dev/pending',
  /** When the set of CAs last changed. */
  rotatedAt: 'machinist.dev/rotated-at',
} as const

/** On source objects, Machinist only. */
export const ownSourceAnnotations = {
  /** `true`: remove the data of this object from the nodes; its absence is intended. Set by users. */
  remove: 'machinist.dev/remove',
} as const

/** On signer Secrets, Machinist only. */
export const ownSignerAnnotations = {
  /** SHA-256 fingerprint of a CA to roll back: while it is the current CA, the previous one replaces it. Set by users. */
  rotateBack: 'machinist.dev/rotate-back',
} as const

/** On the ConfigMap with a signer's bundle, Machinist only. */
export const ownBundleAnnotations = {
  /**
   * Comma-separated SHA-256 fingerprints of the signer's own CAs: those in the bundle, which the signer may remove, and
   * recently removed ones, to recognize nodes that still trust them.
   */
  ownAuthorities: 'machinist.dev/own-authorities',
} as const

/** Values of the state annotation. */
export const nodeStates = {
  working: 'Working',
  done: 'Done',
  degraded: 'Degraded',
  unreconcilable: 'Unreconcilable',
} as const

export type NodeState = (typeof nodeStates)[keyof typeof nodeStates]

/** The value of post-config-action while the node reboots. Older daemons also leave it in the state annotation. */
export const rebooting = 'Rebooting'

/** The prefix of desiredDrain, before the first `-`. */
export const drainVerbs = { drain: 'drain', uncordon: 'uncordon' } as const

/** On MachineConfigs, ControllerConfig, pools, KubeletConfigs and layered OS objects. */
export const annotations = {
  /** On a MachineConfig: the controller build that generated it. Absent or empty for MachineConfigs of users. */
  generatedByController: `${domain}/generated-by-controller-version`,
  /** On ControllerConfig: the operator build that wrote it. Render accepts only its own version. */
  generatedByVersion: `${domain}/generated-by-version`,
  /** On ControllerConfig, copied to rendered MachineConfigs: the version of the release. */
  releaseImageVersion: `${domain}/release-image-version`,
  /** On ControllerConfig: "true" during the pulse after the CA of the API server changed. Written by the operator, read by daemons. */
  serviceCARotate: `${domain}/service-ca-rotate`,
  /** On a rendered MachineConfig: "true" if its OS image is not that of the release. */
  osImageURLOverridden: `${domain}/os-image-url-overridden`,
  /** On KubeletConfig and ContainerRuntimeConfig: "" or "1" to "9", the suffix of the name of its MachineConfig. */
  nameSuffix: `${domain}/mc-name-suffix`,
  /** On a MachineOSConfig: the build whose image is in use. */
  currentMachineOSBuild: `${domain}/current-machine-os-build`,
  /** On a MachineOSConfig: requests a new build. Set by users. */
  rebuild: `${domain}/rebuild`,
  /** On a MachineOSConfig: an image that was built before the installation. */
  preBuiltImage: `${domain}/pre-built-image`,
  /** On MachineConfiguration: since when boot images are updated by default. */
  bootImageUpdatesOptedInAt: `${domain}/boot-image-updates-opted-in-at`,
} as const

/** On KubeletConfigs, Machinist only. */
export const ownSettingsAnnotations = {
  /** `allow`: pass fields that Machinist does not know to the kubelet unchanged, for newer kubelets. Set by users. */
  unknownFields: 'machinist.dev/unknown-fields',
} as const

/** On MachineConfigs, Machinist only. */
export const ownAnnotations = {
  /** On a MachineConfig generated from a KubeletConfig or ContainerRuntimeConfig: the generation of its source. Read by render. */
  settingsGeneration: 'machinist.dev/settings-generation',
  /** On a rendered MachineConfig: its provenance. Written by render, read by planner/provenance. */
  provenance: 'machinist.dev/provenance',
} as const

/** On certificate Secrets and bundle ConfigMaps. Written by the signer; removing a validity annotation requests a rotation. */
export const certificateAnnotations = {
  notAfter: 'auth.openshift.io/certificate-not-after',
  notBefore: 'auth.openshift.io/certificate-not-before',
  issuer: 'auth.openshift.io/certificate-issuer',
  hostnames: 'auth.openshift.io/certificate-hostnames',
  owningComponent: 'openshift.io/owning-component',
  description: 'openshift.io/description',
  refreshPeriod: 'certificates.openshift.io/refresh-period',
  autoRegenerateAfterOfflineExpiry:
    'certificates.openshift.io/auto-regenerate-after-offline-expiry',
} as const
