import type { Condition, ConditionStatus } from '@machinist/core/objects/resource'

/* Condition types per kind, and functions that read and set conditions. */

/** A condition without its transition time, which `setCondition` sets. */
export type ConditionReport = Omit<Condition, 'lastTransitionTime'>

/**
 * On MachineConfigPools. The rollout controller writes all of them except `RenderDegraded` (render controller),
 * `PinnedImageSetsDegraded` and those of the image build. The render controller sets `Updated` to False when its inputs change:
 * see `updatedReasons`.
 */
export const poolConditions = {
  updated: 'Updated',
  updating: 'Updating',
  degraded: 'Degraded',
  nodeDegraded: 'NodeDegraded',
  renderDegraded: 'RenderDegraded',
  imageBuildDegraded: 'ImageBuildDegraded',
  pinnedImageSetsDegraded: 'PinnedImageSetsDegraded',
  poolSynchronizerDegraded: 'PoolSynchronizerDegraded',
  buildPending: 'BuildPending',
  building: 'Building',
  buildSuccess: 'BuildSuccess',
  buildFailed: 'BuildFailed',
  buildInterrupted: 'BuildInterrupted',
} as const

/** On pools, Machinist only: a pause withholds certificates from the nodes. Absent until it was True once. */
export const certificatesHeld = 'machinist.dev/CertificatesHeld'

/** On pools, Machinist only: nodes keep a config that another controller rendered. Absent until it was True once. */
export const poolHeld = 'machinist.dev/Held'

/** On MachineConfigNodes. Written by the daemon; `Cordoned`, `Drained` and `Uncordoned` by the drain controller. */
export const nodeConditions = {
  updatePrepared: 'UpdatePrepared',
  updateExecuted: 'UpdateExecuted',
  updatePostActionComplete: 'UpdatePostActionComplete',
  updateComplete: 'UpdateComplete',
  updated: 'Updated',
  resumed: 'Resumed',
  drained: 'Drained',
  appliedFiles: 'AppliedFiles',
  appliedOSImage: 'AppliedOSImage',
  appliedFilesAndOS: 'AppliedFilesAndOS',
  imagePulledFromRegistry: 'ImagePulledFromRegistry',
  cordoned: 'Cordoned',
  uncordoned: 'Uncordoned',
  rebootedNode: 'RebootedNode',
  nodeDegraded: 'NodeDegraded',
  pinnedImageSetsProgressing: 'PinnedImageSetsProgressing',
  pinnedImageSetsDegraded: 'PinnedImageSetsDegraded',
  internalReleaseImageDegraded: 'InternalReleaseImageDegraded',
} as const

/**
 * On MachineConfigNodes, Machinist only: the PinnedImageSets that the status describes. The message is their digest (see
 * api/pinned-images), because generations start again at 1 when a set is recreated.
 */
export const pinnedImageSetsSeen = 'machinist.dev/PinnedImageSetsSeen'

/** On ControllerConfig. Written by the template controller; render waits for `Completed`. */
export const controllerConfigConditions = {
  running: 'TemplateControllerRunning',
  completed: 'TemplateControllerCompleted',
  failing: 'TemplateControllerFailing',
} as const

const roleTemplatesPrefix = 'machinist.dev/TemplatesFailing.'

/** On ControllerConfig, one per role, Machinist only: a failure of one role does not block the others. */
export function roleTemplatesFailing(role: string): string {
  return roleTemplatesPrefix + role
}

/** The role of such a condition type. */
export function roleOfTemplatesFailing(type: string): string | undefined {
  return type.startsWith(roleTemplatesPrefix) ? type.slice(roleTemplatesPrefix.length) : undefined
}

const inputPrefix = 'machinist.dev/InputDegraded.'

/** On ControllerConfig, one per invalid input of the operator. The last valid value stays in use. */
export function inputDegraded(input: string): string {
  return inputPrefix + input
}

/** The input of such a condition type. */
export function inputOfDegraded(type: string): string | undefined {
  return type.startsWith(inputPrefix) ? type.slice(inputPrefix.length) : undefined
}

/** On ControllerConfig: whether all nodes have the desired trust items. Written by the operator's trust-delivery controller. */
export const trustDelivered = 'machinist.dev/TrustDelivered'

/** On NodeTrust. Written by the daemon. */
export const nodeTrustConditions = { current: 'Current' } as const

/** On TrustRotation. Written by the signer. */
export const rotationConditions = {
  /** Every node trusts the current CA, or the user data of every pool contains it. */
  trusted: 'Trusted',
  /** The rotation is in progress; the message names what it waits for, and since when. */
  progressing: 'Progressing',
  /** The rotation is blocked until a user acts. */
  degraded: 'Degraded',
} as const

/** On KubeletConfig and ContainerRuntimeConfig; `Accepted` only on KubeletConfig. */
export const nodeSettingsConditions = {
  accepted: 'Accepted',
  success: 'Success',
  failure: 'Failure',
} as const

/** On KubeletConfig and ContainerRuntimeConfig, Machinist only. Absent until True once; listed before all others. */
export const ownNodeSettingsConditions = {
  /** A selected pool does not have the settings yet, because another step must finish first. */
  waiting: 'machinist.dev/Waiting',
  /** The object sets fields that have no effect. */
  noEffect: 'machinist.dev/NoEffect',
  /** Another object of the same pool overrides some of its fields. */
  overridden: 'machinist.dev/Overridden',
} as const

/** On pools, Machinist only: the image registry configuration of the cluster is invalid, or partly invalid. */
export const imageConfigDegraded = 'machinist.dev/ImageConfigDegraded'

/** On pools, Machinist only: the cluster-wide kubelet configuration is invalid. */
export const kubeletDefaultsDegraded = 'machinist.dev/KubeletDefaultsDegraded'

/** On CRIOCredentialProviderConfig. */
export const credentialProviderConditions = {
  /** All entries are used. */
  validated: 'Validated',
  /** The entries in use are in MachineConfigs. */
  rendered: 'MachineConfigRendered',
} as const

export const machineOSConfigConditions = { seeded: 'Seeded' } as const

/** On MachineOSBuild. Once one of the last three is True, the conditions do not change any more. */
export const machineOSBuildConditions = {
  prepared: 'Prepared',
  building: 'Building',
  succeeded: 'Succeeded',
  failed: 'Failed',
  interrupted: 'Interrupted',
} as const

/** On MachineConfiguration `cluster`. */
export const machineConfigurationConditions = {
  bootImageUpdateProgressing: 'BootImageUpdateProgressing',
  bootImageUpdateDegraded: 'BootImageUpdateDegraded',
} as const

/** On MachineConfiguration `cluster`, Machinist only. Written by the operator if the user's policy is invalid. */
export const ownMachineConfigurationConditions = {
  policyInvalid: 'machinist.dev/NodeDisruptionPolicyInvalid',
  /** Some entries of the user's policy never apply. */
  policyNoEffect: 'machinist.dev/NodeDisruptionPolicyNoEffect',
  /** The machine config server requires no provisioning token. Written by the server. */
  serverOpen: 'machinist.dev/ServerOpen',
} as const

/** On ClusterOperator `machine-config`. Written by the operator, read by the cluster version operator. */
export const clusterOperatorConditions = {
  available: 'Available',
  progressing: 'Progressing',
  degraded: 'Degraded',
  upgradeable: 'Upgradeable',
  evaluationConditionsDetected: 'EvaluationConditionsDetected',
} as const

export function conditionOf(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** Whether a condition has the status. An absent condition is neither True nor False. */
export function isCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
  status: ConditionStatus = 'True',
): boolean {
  return conditionOf(conditions, type)?.status === status
}

/** Maximum length of a condition message, because the size of an object is limited. */
export const maxMessageLength = 8192

/**
 * Returns the list with one condition updated in place, or appended if it is new. `lastTransitionTime` changes only with the
 * status. Returns the same list if nothing changes.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  report: ConditionReport,
  now: string,
): readonly Condition[] {
  const old = conditionOf(conditions, report.type)
  if (!conditions || !old) return [...(conditions ?? []), { ...report, lastTransitionTime: now }]
  if (isUnchanged(old, report)) return conditions
  const since = old.status === report.status ? (old.lastTransitionTime ?? now) : now
  const updated = { ...report, lastTransitionTime: since }
  return conditions.map((condition) => (condition === old ? updated : condition))
}

function isUnchanged(old: Condition, report: ConditionReport): boolean {
  return (
    old.status === report.status &&
    (old.reason ?? '') === (report.reason ?? '') &&
    (old.message ?? '') === (report.message ?? '') &&
    old.observedGeneration === report.observedGeneration
  )
}
