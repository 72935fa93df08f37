/* Reasons of conditions and events. They are part of the API: programs and alerts match them. */

/** Events on pools, emitted by the render and rollout controllers. */
export const poolEvents = {
  renderedConfigGenerated: 'RenderedConfigGenerated',
  osImageURLOverridden: 'OSImageURLOverridden',
  annotationChange: 'AnnotationChange',
  deferringOperatorNodeUpdate: 'DeferringOperatorNodeUpdate',
  setDesiredConfig: 'SetDesiredConfig',
  setDesiredConfigAndOSImage: 'SetDesiredConfigAndOSImage',
  updating: 'Updating',
  completed: 'Completed',
  /** Machinist only: nodes keep a config that another controller rendered. */
  held: 'Held',
} as const

/** Events on pools about new machines, Machinist only. */
export const provisioningEvents = {
  /** The server refused a request for the config of the pool. */
  configRefused: 'ConfigRefused',
  /** The operator replaced the provisioning token. */
  tokenRotated: 'ProvisioningTokenRotated',
  /** An annotation of the pool has no valid duration: the default is in effect. */
  badTokenSettings: 'BadProvisioningTokenSettings',
} as const

/** Events on MachineConfigs, Machinist only. */
export const machineConfigEvents = {
  /** No pool selects the MachineConfig. */
  notSelected: 'NotSelected',
} as const

/** Events on Nodes, emitted by the drain controller. */
export const drainEvents = {
  drainFailed: 'DrainFailed',
  drainThresholdExceeded: 'DrainThresholdExceeded',
  /** Machinist only: the pods that cannot be evicted, and why. */
  drainBlocked: 'DrainBlocked',
} as const

/** Events on Nodes, emitted by the role label controller. */
export const joinEvents = {
  /** Machinist only: the machine runs the config of a pool, but no pool selects its Node. */
  noPoolSelectsNode: 'NoPoolSelectsNode',
} as const

/** Reasons of the Drained condition while the drain makes progress; otherwise it has a reason of `drainEvents`. */
export const drainReasons = {
  draining: 'Draining',
  /** Also an event: the pool has not given the node a turn. */
  waitingForTurn: 'WaitingForTurn',
} as const

/** Events on Nodes, emitted by the daemon. */
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
  /** Machinist only: the disk has another config than the Node states, for example after a restore of etcd. */
  diskAheadOfNode: 'DiskAheadOfNode',
  /** Machinist only: the trust lane could not deliver an item. */
  trustDeliveryFailed: 'TrustDeliveryFailed',
  kubeletTurnWithdrawn: 'KubeletTurnWithdrawn',
} as const

/** A change that is not allowed. Emitted by the operator and the controllers for kubelet and container runtime settings. */
export const actionProhibited = 'ActionProhibited'

/** Events of the operator. */
export const operatorEvents = {
  operatorVersionChanged: 'OperatorVersionChanged',
  operatorDegraded: 'OperatorDegraded',
  /** On the ControllerConfig: another operator, such as MCO, wrote it. */
  otherOperator: 'MadeByAnotherOperator',
} as const

/** Events of the signer, named after the cause of its action. */
export const signerEvents = {
  signerUpdateRequired: 'SignerUpdateRequired',
  caBundleUpdateRequired: 'CABundleUpdateRequired',
  targetUpdateRequired: 'TargetUpdateRequired',
} as const

/** Events on CertificateSigningRequests of kubelets, emitted by the signer. */
export const requestEvents = {
  requestNotApproved: 'RequestNotApproved',
  tooManyRequests: 'TooManyRequests',
} as const

/** Conditions of a TrustRotation. */
export const rotationReasons = {
  asExpected: 'AsExpected',
  /** Trusted, Progressing: nodes lack the current CA. */
  waitingForNodes: 'WaitingForNodes',
  /** Trusted, Progressing: the user data of pools lacks the current CA. */
  waitingForUserData: 'WaitingForUserData',
  /** Progressing: all evidence is complete; programs still have to load the written files. */
  settling: 'Settling',
  /** Progressing: the current CA signs the leaf certificates. */
  issuing: 'Issuing',
  /** Progressing: nodes still trust a CA that is being removed. */
  retiring: 'Retiring',
  /** Degraded: the spec contradicts itself. */
  badSpec: 'BadSpec',
  /** Degraded: another TrustRotation uses the same Secret or ConfigMap. */
  shared: 'Shared',
  /** Degraded: a bundle contains data that is not a certificate. */
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
 * Reasons of a pool's Updated condition with which the render controller reports changed inputs. The rollout controller does not
 * overwrite `renderPending`; the render controller replaces it.
 */
export const updatedReasons = {
  /** The inputs of the pool differ from its rendered MachineConfig. */
  renderPending: 'RenderPending',
  /** The inputs match again; the rollout controller has not compared the nodes with the rendered MachineConfig yet. */
  rendered: 'Rendered',
} as const

/** Conditions of a pool. */
export const poolReasons = { buildFailed: 'BuildFailed' } as const

/** The condition `machinist.dev/Held` of a pool. */
export const heldReasons = { otherMaker: 'MadeByAnotherController', free: 'AsExpected' } as const

/** Reasons of a pool's RenderDegraded condition and its events: what rendering waits for, or what an administrator must fix. */
export const renderReasons = {
  rendered: 'AsExpected',
  /** Rendered, but a MachineConfig contains a probable mistake. */
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
  /** The Ignition version of the release cannot express the whole config. */
  newerIgnition: 'NewerIgnition',
  streamOverridden: 'StreamOverridden',
  tooLarge: 'TooLarge',
  notReconcilable: 'NotReconcilable',
  otherMaker: 'MadeByAnotherController',
  refused: 'Refused',
} as const

/** Conditions of ControllerConfig: the result of the templates of all roles or of one role. */
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

/** Conditions of pools about the cluster-wide image registry and kubelet configuration. */
export const clusterSettingsReasons = {
  asExpected: 'AsExpected',
  badRegistries: 'BadRegistries',
  badMirrors: 'BadMirrors',
  badPolicy: 'BadPolicy',
  payloadProtected: 'PayloadProtected',
  badRelease: 'BadRelease',
  /** The container runtime of the nodes does not read this configuration. */
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
  /** The kubelet would reject some entries. */
  validationFailed: 'ValidationFailed',
  /** Another credential provider is responsible for some entries. */
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

/** Conditions of MachineConfiguration about the user's disruption policy. */
export const machineConfigurationReasons = {
  asExpected: 'AsExpected',
  badPolicy: 'BadPolicy',
  entriesWithoutEffect: 'EntriesWithoutEffect',
} as const

/** Condition ServerOpen of MachineConfiguration. */
export const serverOpenReasons = { open: 'Open', tokenRequired: 'TokenRequired' } as const

/** Events on ControllerConfig, emitted by the template controller. */
export const templateEvents = { templatesFailed: 'TemplatesFailed' } as const

/** Conditions of a MachineConfigNode. */
export const nodeReasons = {
  /** The node has not reached this phase. */
  notYetOccurred: 'NotYetOccurred',
  /** NodeDegraded: the disk differs from the current config. */
  drifted: 'Drifted',
} as const

/** PinnedImageSetsProgressing and PinnedImageSetsDegraded of a MachineConfigNode; the latter also of a pool. */
export const pinnedImagesReasons = {
  asExpected: 'AsExpected',
  /** Reason of PinnedImageSetsSeen: the sets were read. */
  read: 'Read',
  /** The sets of a pool could not be listed. */
  listFailed: 'PinnedImageSetsNotListed',
  prefetching: 'ImagePrefetch',
  failed: 'PrefetchFailed',
  /** Machinist only: MCO reports the two as other failures. */
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
