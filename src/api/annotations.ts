/** Annotations with a meaning in the API, one home each, by the object they are on. */
const domain = 'machineconfiguration.openshift.io'

/** On Node objects: the conversation between the rollout and drain controllers and the node's daemon. */
export const nodeAnnotations = {
  /** Daemon writes: the rendered MachineConfig that the node runs. */
  currentConfig: `${domain}/currentConfig`,
  /** Rollout writes: the rendered MachineConfig that the node shall run. */
  desiredConfig: `${domain}/desiredConfig`,
  /** Daemon writes: the layered OS image in use. Neither image annotation: the node is not layered. */
  currentImage: `${domain}/currentImage`,
  /** Rollout writes: the layered OS image to use. */
  desiredImage: `${domain}/desiredImage`,
  /** Daemon writes: one of `nodeStates`; absent reads as Done. */
  state: `${domain}/state`,
  /** Daemon writes: why the state is bad, cut to 2000 characters. */
  reason: `${domain}/reason`,
  /** Daemon writes: `Rebooting` just before it reboots. */
  postConfigAction: `${domain}/post-config-action`,
  /** Daemon writes: why the last boot could not finish staging the OS. */
  finalizeStagedFailure: `${domain}/ostree-finalize-staged-failure`,
  /** Daemon writes: `drain-<config>` or `uncordon-<config>`. */
  desiredDrain: `${domain}/desiredDrain`,
  /** Drain controller writes: the last desiredDrain that it fulfilled. */
  lastAppliedDrain: `${domain}/lastAppliedDrain`,
  /** Rollout writes: the cluster's control plane topology, for the daemon. */
  controlPlaneTopology: `${domain}/controlPlaneTopology`,
  /** First boot writes: the rendered MachineConfig that the machine was served. */
  firstPivotConfig: `${domain}/firstPivotConfig`,
  /** Rollout writes: the labels of the custom pool the node booted into are on it. */
  customPoolLabelsApplied: `${domain}/customPoolLabelsApplied`,
  /** Daemon's trust lane writes: the ControllerConfig whose certificates are on disk. */
  lastSyncedControllerConfigResourceVersion: `${domain}/lastSyncedControllerConfigResourceVersion`,
  /** Daemon's trust lane writes: the last service-ca-rotate that it saw. */
  lastObservedServerCAAnnotation: `${domain}/lastObservedServerCAAnnotation`,
  /** Daemon wrote it up to 4.12: `accessed` once somebody logged in. */
  ssh: `${domain}/ssh`,
} as const

/** On Node objects: what only Machinist says. */
export const ownNodeAnnotations = {
  /** Drain controller writes with its cordon: which drain is under way, since when, and who had cordoned the node. */
  drain: 'machinist.dev/drain',
  /** Rollout writes: `from` of the last turn that it withdrew before the node was told. See controllers/rollout/turns.ts. */
  withdrawnTurn: 'machinist.dev/withdrawn-turn',
} as const

/** On MachineConfigPools: what only Machinist says. */
export const ownPoolAnnotations = {
  /** Rollout writes: whose turn it is, and how long turns took. See controllers/rollout. */
  rollout: 'machinist.dev/rollout',
  /** Users write: after how many failed nodes a rollout stops; the pool's budget unless said. */
  stopAfterFailures: 'machinist.dev/stop-after-failures',
  /** Users write `true`: maxUnavailable may cover every node of the pool. */
  allowWholePool: 'machinist.dev/allow-whole-pool-unavailable',
} as const

/** On ControllerConfig: what only Machinist says. The operator writes unless said; the template controller and daemons read. */
export const ownControllerConfigAnnotations = {
  /** `direct` (unless said): certificates go past MachineConfigs. `rendered`: they are in them, as up to 4.12. */
  certificateDelivery: 'machinist.dev/certificate-delivery',
  /** `crio` (unless said) or `containerd`: what runs the containers of all nodes. */
  containerRuntime: 'machinist.dev/container-runtime',
  /** `openshift` or `kubernetes`: whose kubelets nodes run; see api/distribution.ts. */
  distribution: 'machinist.dev/distribution',
  /** Before a role: what its templates came to when all of it was stored. The template controller writes, render reads. */
  templatesPrefix: 'machinist.dev/templates.',
  /** The ConfigMap that told what OpenShift's objects would, for as long as it says anything: it cannot vanish unnoticed. */
  clusterFacts: 'machinist.dev/cluster-facts',
  /** A digest for each item that nodes shall trust, as JSON: see api/trust. Daemons read payloads only where it differs. */
  trustDigests: 'machinist.dev/trust-digests',
  /** For each pool that pins images, a digest of which, as JSON: see api/pinned-images. Its controller writes. */
  pinnedImages: 'machinist.dev/pinned-images',
} as const

/** On ConfigMap kubeconfig-data: what only Machinist says. The operator writes and reads. */
export const ownKubeconfigDataAnnotations = {
  /** Which new CAs of the API server wait to be handed on, and since when they have not changed, as JSON. */
  pending: 'machinist.dev/pending',
  /** When the set of CAs last became another one. */
  rotatedAt: 'machinist.dev/rotated-at',
} as const

/** On source objects: what only Machinist understands. */
export const ownSourceAnnotations = {
  /** Users write `true`: what this object gave shall go from the nodes, and is not merely absent for a while. */
  remove: 'machinist.dev/remove',
} as const

/** On signer Secrets: what only Machinist understands. */
export const ownSignerAnnotations = {
  /** Users write the SHA-256 of the CA that shall go again: as long as it is the current one, the previous one takes its place. */
  rotateBack: 'machinist.dev/rotate-back',
} as const

/** On the ConfigMap with a signer's bundle: what only Machinist understands. */
export const ownBundleAnnotations = {
  /**
   * SHA-256 of the signer's CAs, separated by commas: those in the bundle, which the signer may remove, as opposed to others that
   * are there; and some that left it, by which nodes are known that still hold them.
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

/** The value of post-config-action while the node reboots; older daemons may also leave it in the state. */
export const rebooting = 'Rebooting'

/** What comes before the first `-` of desiredDrain. */
export const drainVerbs = { drain: 'drain', uncordon: 'uncordon' } as const

/** On MachineConfigs, ControllerConfig, pools, KubeletConfigs and layered OS objects. */
export const annotations = {
  /** On a MachineConfig: which controller build made it. Absent or empty: a user did. */
  generatedByController: `${domain}/generated-by-controller-version`,
  /** On ControllerConfig: which operator build wrote it; render works for its own version only. */
  generatedByVersion: `${domain}/generated-by-version`,
  /** On ControllerConfig, copied to rendered MachineConfigs: the version of the release. */
  releaseImageVersion: `${domain}/release-image-version`,
  /** On ControllerConfig: "true" for a moment after the API server's CA changed. Operator writes, daemons read. */
  serviceCARotate: `${domain}/service-ca-rotate`,
  /** On a rendered MachineConfig: "true" when its OS image is not the one of the release. */
  osImageURLOverridden: `${domain}/os-image-url-overridden`,
  /** On KubeletConfig and ContainerRuntimeConfig: "" or "1" to "9", the end of its MachineConfig's name. */
  nameSuffix: `${domain}/mc-name-suffix`,
  /** On a MachineOSConfig: the build whose image is in use. */
  currentMachineOSBuild: `${domain}/current-machine-os-build`,
  /** On a MachineOSConfig: a user asks for a new build. */
  rebuild: `${domain}/rebuild`,
  /** On a MachineOSConfig: an image that was built before installation. */
  preBuiltImage: `${domain}/pre-built-image`,
  /** On MachineConfiguration: since when boot images are kept up to date by default. */
  bootImageUpdatesOptedInAt: `${domain}/boot-image-updates-opted-in-at`,
} as const

/** On KubeletConfigs: what only Machinist understands. */
export const ownSettingsAnnotations = {
  /** Users write `allow`: fields that Machinist does not know go to the kubelets as they are, which may be newer. */
  unknownFields: 'machinist.dev/unknown-fields',
} as const

/** On MachineConfigs: what only Machinist says. */
export const ownAnnotations = {
  /** On what was made from a KubeletConfig or ContainerRuntimeConfig: its generation. Its controller writes, render reads. */
  settingsGeneration: 'machinist.dev/settings-generation',
  /** On a rendered MachineConfig: which MachineConfig brought what. Render writes; planner/provenance.ts reads. */
  provenance: 'machinist.dev/provenance',
} as const

/** On certificate Secrets and bundle ConfigMaps. The signer writes; removing a validity one asks for rotation. */
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
