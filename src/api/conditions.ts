import type { Condition, ConditionStatus } from '@machinist/core/resource'

/* Conditions: how every object tells its state, and the names of those states per kind. */

/** What the writer of a condition has to say; when it became so is worked out by `setCondition`. */
export type ConditionReport = Omit<Condition, 'lastTransitionTime'>

/**
 * Pools. Rollout writes all but `RenderDegraded` (render), `PinnedImageSetsDegraded` and the build's own. Render sets
 * `Updated` to False while its inputs have changed: see `updatedReasons`.
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

/** On pools; only Machinist tells it: a pause keeps certificates from the nodes. Written once it ever held. */
export const certificatesHeld = 'machinist.dev/CertificatesHeld'

/** On pools; Machinist only: nodes keep what another controller rendered. Render writes it, once it ever held. */
export const poolHeld = 'machinist.dev/Held'

/** MachineConfigNodes. The node's daemon writes; the drain controller writes cordon, drain and uncordon. */
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
 * On MachineConfigNodes; only Machinist tells it: which PinnedImageSets the node speaks of. Its message is their digest, see
 * api/pinned-images: generations alone begin anew with a set that is deleted and made again.
 */
export const pinnedImageSetsSeen = 'machinist.dev/PinnedImageSetsSeen'

/** ControllerConfig. The template controller writes; render waits for `Completed`. */
export const controllerConfigConditions = {
  running: 'TemplateControllerRunning',
  completed: 'TemplateControllerCompleted',
  failing: 'TemplateControllerFailing',
} as const

const roleTemplatesPrefix = 'machinist.dev/TemplatesFailing.'

/** On ControllerConfig, one per role; only Machinist tells it. What fails for one role need not stop the others. */
export function roleTemplatesFailing(role: string): string {
  return roleTemplatesPrefix + role
}

/** The role that such a condition is about. */
export function roleOfTemplatesFailing(type: string): string | undefined {
  return type.startsWith(roleTemplatesPrefix) ? type.slice(roleTemplatesPrefix.length) : undefined
}

const inputPrefix = 'machinist.dev/InputDegraded.'

/** On ControllerConfig, one per input of the operator that cannot be used: the last good value stays meanwhile. */
export function inputDegraded(input: string): string {
  return inputPrefix + input
}

/** The input that such a condition is about. */
export function inputOfDegraded(type: string): string | undefined {
  return type.startsWith(inputPrefix) ? type.slice(inputPrefix.length) : undefined
}

/** On ControllerConfig: what nodes have of what it wants. The operator's ledger writes it. */
export const trustDelivered = 'machinist.dev/TrustDelivered'

/** NodeTrust. The node's daemon writes. */
export const nodeTrustConditions = { current: 'Current' } as const

/** TrustRotation. The signer writes. */
export const rotationConditions = {
  /** Every node trusts the current CA. */
  trusted: 'Trusted',
  /** Something is under way; the message says what is waited for, and since when. */
  progressing: 'Progressing',
  /** Something is in the way that a person must remove. */
  degraded: 'Degraded',
} as const

/** KubeletConfig and ContainerRuntimeConfig; `Accepted` is newer than the other two and on KubeletConfig only. */
export const nodeSettingsConditions = {
  accepted: 'Accepted',
  success: 'Success',
  failure: 'Failure',
} as const

/** KubeletConfig and ContainerRuntimeConfig: what only Machinist says, once it ever held. Stands before all others. */
export const ownNodeSettingsConditions = {
  /** Some pool has nothing of it yet, because something else comes first. */
  waiting: 'machinist.dev/Waiting',
  /** It sets fields that are kept and that nobody reads. */
  noEffect: 'machinist.dev/NoEffect',
  /** Another object of the same pool sets some of the same fields, and has the last word. */
  overridden: 'machinist.dev/Overridden',
} as const

/** On pools; only Machinist tells it: what the cluster says about image registries cannot be used, or not all of it. */
export const imageConfigDegraded = 'machinist.dev/ImageConfigDegraded'

/** On pools; only Machinist tells it: what the cluster says about all kubelets cannot be used. */
export const kubeletDefaultsDegraded = 'machinist.dev/KubeletDefaultsDegraded'

/** CRIOCredentialProviderConfig. */
export const credentialProviderConditions = {
  /** All of its entries are used. */
  validated: 'Validated',
  /** What is used of it is in MachineConfigs. */
  rendered: 'MachineConfigRendered',
} as const

export const machineOSConfigConditions = { seeded: 'Seeded' } as const

/** Once one of the last three is True, the conditions of a MachineOSBuild never change again. */
export const machineOSBuildConditions = {
  prepared: 'Prepared',
  building: 'Building',
  succeeded: 'Succeeded',
  failed: 'Failed',
  interrupted: 'Interrupted',
} as const

/** MachineConfiguration `cluster`. */
export const machineConfigurationConditions = {
  bootImageUpdateProgressing: 'BootImageUpdateProgressing',
  bootImageUpdateDegraded: 'BootImageUpdateDegraded',
} as const

/** MachineConfiguration `cluster`: what only Machinist says. The operator writes it where the user's policy cannot be used. */
export const ownMachineConfigurationConditions = {
  policyInvalid: 'machinist.dev/NodeDisruptionPolicyInvalid',
  /** Entries of the user's policy never apply. */
  policyNoEffect: 'machinist.dev/NodeDisruptionPolicyNoEffect',
} as const

/** ClusterOperator `machine-config`. The operator writes, the cluster's upgrade machinery reads. */
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

/** A condition that nobody wrote yet counts as neither true nor false. */
export function isCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
  status: ConditionStatus = 'True',
): boolean {
  return conditionOf(conditions, type)?.status === status
}

/** What of a condition is told: a list of all that is wrong may be without end, and an object may not. */
export const longestMessage = 8192

/**
 * The list with one condition brought up to date: in its old place, or at the end when new. Its time moves only when
 * its status does. The very same list comes back when there is nothing to write.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  report: ConditionReport,
  now: string,
): readonly Condition[] {
  const old = conditionOf(conditions, report.type)
  if (!conditions || !old) return [...(conditions ?? []), { ...report, lastTransitionTime: now }]
  if (saysTheSame(old, report)) return conditions
  const since = old.status === report.status ? (old.lastTransitionTime ?? now) : now
  const updated = { ...report, lastTransitionTime: since }
  return conditions.map((condition) => (condition === old ? updated : condition))
}

function saysTheSame(old: Condition, report: ConditionReport): boolean {
  return (
    old.status === report.status &&
    (old.reason ?? '') === (report.reason ?? '') &&
    (old.message ?? '') === (report.message ?? '') &&
    old.observedGeneration === report.observedGeneration
  )
}
