/** Reasons in conditions and events: one word each, read by programs and searched for by people. */

/** Events on a pool, written by render and rollout. */
export const poolEvents = {
  renderedConfigGenerated: 'RenderedConfigGenerated',
  osImageURLOverridden: 'OSImageURLOverridden',
  annotationChange: 'AnnotationChange',
  deferringOperatorNodeUpdate: 'DeferringOperatorNodeUpdate',
  setDesiredConfig: 'SetDesiredConfig',
  setDesiredConfigAndOSImage: 'SetDesiredConfigAndOSImage',
  updating: 'Updating',
  completed: 'Completed',
  /** Machinist only: nodes keep what another controller rendered. */
  held: 'Held',
} as const

/** Events on a MachineConfig; only Machinist emits them. */
export const machineConfigEvents = {
  /** No pool selects it. */
  notSelected: 'NotSelected',
} as const

/** Events on a node, written by the drain controller. */
export const drainEvents = {
  drainFailed: 'DrainFailed',
  drainThresholdExceeded: 'DrainThresholdExceeded',
  /** Only Machinist tells it: which pods cannot leave, and why. */
  drainBlocked: 'DrainBlocked',
} as const

/** Events on a node, written by the controller of role labels. */
export const joinEvents = {
  /** Only Machinist emits it: the machine runs a pool's config, and the labels of its Node match no pool. */
  noPoolSelectsNode: 'NoPoolSelectsNode',
} as const

/** Of the Drained condition while nothing is in the way of a drain; otherwise it has those of events. */
export const drainReasons = {
  draining: 'Draining',
  /** Also of an event: the node's pool has not given it a turn. */
  waitingForTurn: 'WaitingForTurn',
} as const

/** Events on a node, written by its daemon. */
export const nodeEvents = {
  bootResync: 'BootResync',
  nodeDone: 'NodeDone',
  cordon: 'Cordon',
  uncordon: 'Uncordon',
  failedToUncordon: 'FailedToUncordon',
  drain: 'Drain',
  failedToDrain: 'FailedToDrain',
  failedToReconcile: 'FailedToReconcile',
  inClusterUpgrade: 'InClusterUpgrade',
  osUpdateStarted: 'OSUpdateStarted',
  osUpdateStaged: 'OSUpdateStaged',
  osUpgradeApplied: 'OSUpgradeApplied',
  osUpgradeSkipped: 'OSUpgradeSkipped',
  skipReboot: 'SkipReboot',
  serviceReload: 'ServiceReload',
  serviceRestart: 'ServiceRestart',
  failedServiceReload: 'FailedServiceReload',
  failedServiceRestart: 'FailedServiceRestart',
  reboot: 'Reboot',
  onDiskStateValidationFailed: 'OnDiskStateValidationFailed',
  preflightConfigDriftCheckFailed: 'PreflightConfigDriftCheckFailed',
  configDriftDetected: 'ConfigDriftDetected',
  configDriftMonitorStarted: 'ConfigDriftMonitorStarted',
  configDriftMonitorStopped: 'ConfigDriftMonitorStopped',
  failedFinalization: 'FailedFinalization',
  addSigtermProtection: 'AddSigtermProtection',
  removeSigtermProtection: 'RemoveSigtermProtection',
  gotSigtermDuringUpdate: 'GotSigtermDuringUpdate',
  /** Only Machinist emits it: the disk is in another config than the Node says, for instance after a restore of etcd. */
  diskAheadOfNode: 'DiskAheadOfNode',
  /** Only Machinist tells this: what could not come to the node past MachineConfigs. */
  trustDeliveryFailed: 'TrustDeliveryFailed',
  kubeletTurnWithdrawn: 'KubeletTurnWithdrawn',
} as const

/** Whoever finds a change that must not be made: the operator, and the controllers for kubelet and runtime settings. */
export const actionProhibited = 'ActionProhibited'

/** Events of the operator. */
export const operatorEvents = {
  operatorVersionChanged: 'OperatorVersionChanged',
  operatorDegraded: 'OperatorDegraded',
  /** On the ControllerConfig: another operator, such as MCO, wrote it. */
  otherOperator: 'MadeByAnotherOperator',
} as const

/** Events of the signer, named after what made it act. */
export const signerEvents = {
  signerUpdateRequired: 'SignerUpdateRequired',
  caBundleUpdateRequired: 'CABundleUpdateRequired',
  targetUpdateRequired: 'TargetUpdateRequired',
} as const

/** Events on kubelets' certificate requests, written by the signer. */
export const requestEvents = {
  requestNotApproved: 'RequestNotApproved',
  tooManyRequests: 'TooManyRequests',
} as const

/** Conditions of a TrustRotation. */
export const rotationReasons = {
  asExpected: 'AsExpected',
  /** Trusted, Progressing: nodes lack the current CA. */
  waitingForNodes: 'WaitingForNodes',
  /** Progressing: everything is known that has to be; what was written has yet to be loaded by those who use it. */
  settling: 'Settling',
  /** Progressing: certificates are being signed by the current CA. */
  issuing: 'Issuing',
  /** Progressing: nodes still hold a CA that is to go. */
  retiring: 'Retiring',
  /** Degraded: the spec contradicts itself. */
  badSpec: 'BadSpec',
  /** Degraded: another TrustRotation has the same Secret or ConfigMap. */
  shared: 'Shared',
  /** Degraded: a bundle holds something that is no certificate. */
  badBundle: 'BadBundle',
  refused: 'Refused',
} as const

/** Conditions of ClusterOperator `machine-config`. A failed task is `<Task>Failed`: see `taskFailed`. */
export const operatorReasons = {
  asExpected: 'AsExpected',
  noData: 'NoData',
  degradedPool: 'DegradedPool',
  interruptedBuild: 'InterruptedBuild',
  poolUpdating: 'PoolUpdating',
  kubeletSkewUnchecked: 'KubeletSkewUnchecked',
  kubeletSkewUnsupported: 'KubeletSkewUnsupported',
  kubeletSkewPresent: 'KubeletSkewPresent',
  clusterBootImageSkewError: 'ClusterBootImageSkewError',
} as const

export function taskFailed(task: string): string {
  return `${task}Failed`
}

/**
 * The Updated condition of a pool: how render reports to rollout that the inputs changed. Rollout leaves `renderPending`
 * alone until render replaces it.
 */
export const updatedReasons = {
  /** The inputs of the pool differ from its rendered MachineConfig. */
  renderPending: 'RenderPending',
  /** They no longer differ; rollout has not compared the nodes with the rendered MachineConfig yet. */
  rendered: 'Rendered',
} as const

/** Conditions of a pool. */
export const poolReasons = { buildFailed: 'BuildFailed' } as const

/** The condition `machinist.dev/Held` of a pool. */
export const heldReasons = { otherMaker: 'MadeByAnotherController', free: 'AsExpected' } as const

/** The RenderDegraded condition of a pool and its events: what rendering waits for, or what an administrator has to correct. */
export const renderReasons = {
  rendered: 'AsExpected',
  /** Rendered, but a MachineConfig says something that was probably not meant. */
  renderedWithWarnings: 'RenderedWithWarnings',
  selectingAll: 'SelectingAll',
  badSelector: 'BadSelector',
  controllerConfigMissing: 'ControllerConfigMissing',
  controllerConfigVersion: 'ControllerConfigVersion',
  templatesNotDone: 'TemplatesNotDone',
  templatesFailed: 'TemplatesFailed',
  settingsNotDone: 'SettingsNotDone',
  settingsFailed: 'SettingsFailed',
  noMachineConfigs: 'NoMachineConfigs',
  staleMachineConfig: 'StaleMachineConfig',
  badMachineConfig: 'BadMachineConfig',
  badMerge: 'BadMerge',
  /** The release reads an Ignition version that cannot express all of it. */
  newerIgnition: 'NewerIgnition',
  streamOverridden: 'StreamOverridden',
  tooLarge: 'TooLarge',
  notReconcilable: 'NotReconcilable',
  otherMaker: 'MadeByAnotherController',
  refused: 'Refused',
} as const

/** Conditions of ControllerConfig: what the templates of all roles, or of one, came to. */
export const templateReasons = {
  asExpected: 'AsExpected',
  inProgress: 'InProgress',
  badPlatform: 'BadPlatform',
  pullSecretMissing: 'PullSecretMissing',
  pullSecretUnreadable: 'PullSecretUnreadable',
  badPullSecret: 'BadPullSecret',
  badControllerConfig: 'BadControllerConfig',
  badTemplate: 'BadTemplate',
  tooLarge: 'TooLarge',
  notOurs: 'NotOurs',
  otherMaker: 'MadeByAnotherController',
  refused: 'Refused',
} as const

/** Conditions of KubeletConfig and ContainerRuntimeConfig. */
export const nodeSettingsReasons = {
  success: 'Success',
  badSettings: 'BadSettings',
  badSelector: 'BadSelector',
  noPool: 'NoPool',
  tooMany: 'TooMany',
  noBase: 'NoBase',
  notOurs: 'NotOurs',
  otherMaker: 'MadeByAnotherController',
  refused: 'Refused',
  asExpected: 'AsExpected',
  templatesNotDone: 'TemplatesNotDone',
  noEffect: 'FieldsWithoutEffect',
  overridden: 'FieldsOverridden',
} as const

/** Pools: what became of the cluster's word about image registries, and about all kubelets. */
export const clusterSettingsReasons = {
  asExpected: 'AsExpected',
  badRegistries: 'BadRegistries',
  badMirrors: 'BadMirrors',
  badPolicy: 'BadPolicy',
  payloadProtected: 'PayloadProtected',
  badRelease: 'BadRelease',
  /** What runs the containers of nodes reads none of it. */
  notRead: 'NotRead',
  badKubeletDefaults: 'BadKubeletDefaults',
  noBase: 'NoBase',
  notOurs: 'NotOurs',
  otherMaker: 'MadeByAnotherController',
  refused: 'Refused',
} as const

/** Conditions of CRIOCredentialProviderConfig. */
export const credentialProviderReasons = {
  validated: 'Succeeded',
  /** Entries that no kubelet could use. */
  validationFailed: 'ValidationFailed',
  /** Entries that another provider is asked about. */
  partiallyApplied: 'ConfigurationPartiallyApplied',
  rendered: 'MachineConfigRenderingSucceeded',
  renderingFailed: 'MachineConfigRenderingFailed',
} as const

/** Events on KubeletConfig, ContainerRuntimeConfig, CRIOCredentialProviderConfig, Image and config Node. */
export const settingsEvents = {
  settingsFailed: 'SettingsFailed',
  fieldsWithoutEffect: 'FieldsWithoutEffect',
  fieldsOverridden: 'FieldsOverridden',
  registriesFailed: 'RegistriesFailed',
  payloadProtected: 'PayloadProtected',
} as const

/** Conditions of MachineConfiguration: whether the user's policy can be used. */
export const machineConfigurationReasons = {
  asExpected: 'AsExpected',
  badPolicy: 'BadPolicy',
  entriesWithoutEffect: 'EntriesWithoutEffect',
} as const

/** Events on ControllerConfig, written by the template controller. */
export const templateEvents = { templatesFailed: 'TemplatesFailed' } as const

/** Conditions of a MachineConfigNode. */
export const nodeReasons = {
  /** A phase that the node has not come to yet. */
  notYetOccurred: 'NotYetOccurred',
  /** NodeDegraded: the disk differs from the configuration. */
  drifted: 'Drifted',
} as const

/** PinnedImageSetsProgressing and PinnedImageSetsDegraded of a MachineConfigNode; the latter of a pool, too. */
export const pinnedImagesReasons = {
  asExpected: 'AsExpected',
  /** Why a digest is there: it is of what was read. */
  read: 'Read',
  /** A pool cannot list its sets. */
  listFailed: 'PinnedImageSetsNotListed',
  prefetching: 'ImagePrefetch',
  failed: 'PrefetchFailed',
  /** Only Machinist tells the two apart from other failures. */
  noRoom: 'InsufficientStorage',
  notSupported: 'NotSupported',
} as const

/** The Current condition of a NodeTrust. */
export const nodeTrustReasons = {
  asWanted: 'AsWanted',
  lagging: 'Lagging',
  failed: 'Failed',
  leftToMachineConfigs: 'LeftToMachineConfigs',
} as const
