import { ownSettingsAnnotations } from '../../api/annotations.ts'
import type { KubeletConfig } from '../../api/resources.ts'
import { isObject } from '@machinist/core/json'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { shown } from '../kubelet-defaults/shown.ts'
import { tlsSettings } from '../kubelet-defaults/tls-profile.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { readFragment } from './fragment.ts'
import { kubeletFields } from './kubelet-fields.ts'

const at = 'spec.kubeletConfig'

/** Everything that is wrong with one object in one pool, in sentences that begin with the field. */
export function problemsOf(object: Readonly<KubeletConfig>, pool: PoolSettings): string[] {
  const { logLevel, tlsSecurityProfile } = object.spec ?? {}
  const tls = isObject(tlsSecurityProfile) ? tlsSettings(tlsSecurityProfile).problems : []
  const fragment = readFragment(object)
  return [
    ...logLevelProblems(logLevel),
    ...tls.map((problem) => `spec.tlsSecurityProfile.${problem}`),
    ...(typeof fragment === 'string' ? [fragment] : fragmentProblems(object, fragment, pool)),
  ]
}

/** What nobody reads, here as in the original. */
export function idleIn({ spec }: Readonly<KubeletConfig>): string[] {
  const { systemGomaxprocsBehavior: behavior } = spec ?? {}
  if (behavior === undefined || behavior === null) return []
  return [
    `spec.systemGomaxprocsBehavior: ${shown(behavior)} is kept and changes nothing: kubelets and container runtimes are given no GOMAXPROCS, so Go chooses`,
  ]
}

function fragmentProblems(
  { metadata, spec }: Readonly<KubeletConfig>,
  fragment: KubeletConf,
  pool: PoolSettings,
): string[] {
  const mayBeNewer = metadata.annotations?.[ownSettingsAnnotations.unknownFields] === 'allow'
  const problems: string[] = []
  kubeletFields(fragment, at, (problem, why) => {
    if (!(mayBeNewer && why === 'unknown')) problems.push(problem)
  })
  return [
    ...problems,
    ...forbiddenProblems(fragment),
    ...staticPodProblems(fragment, pool),
    ...sizingProblems(fragment, spec.autoSizingReserved === true),
  ]
}

function logLevelProblems(level: unknown): string[] {
  if (level === undefined || level === null) return []
  const isLevel = typeof level === 'number' && Number.isInteger(level) && level >= 0 && level <= 10
  return isLevel ? [] : [`spec.logLevel: not valid [0,10]: ${shown(level)}`]
}

/** What the cluster decides: a node that says otherwise may not come back after a reboot. */
const forbidden: readonly (readonly [string, string])[] = [
  ['cgroupDriver', 'it has to be that of the container runtime'],
  ['clusterDNS', "it comes from the cluster's network"],
  ['clusterDomain', "it comes from the cluster's network"],
  ['featureGates', 'they come from FeatureGate cluster, where the cluster has one'],
]

function forbiddenProblems(fragment: KubeletConf): string[] {
  const problems = forbidden
    .filter(([field]) => !isNothing(own(fragment, field)))
    .map(([field, why]) => notAllowed(field, why))
  if (typeof own(fragment, 'failSwapOn') === 'boolean') {
    problems.push(notAllowed('failSwapOn', 'the cluster decides about swap'))
  }
  const swap = own(fragment, 'memorySwap')
  if (isObject(swap) && !isNothing(own(swap, 'swapBehavior'))) {
    problems.push(notAllowed('memorySwap.swapBehavior', 'the cluster decides about swap'))
  }
  return problems
}

const notAllowed = (field: string, why: string): string =>
  `${at}.${field}: is not allowed to be set: ${why}`

/** The control plane itself runs from there; elsewhere it may be switched off. */
function staticPodProblems(
  fragment: KubeletConf,
  { name, isControlPlane }: PoolSettings,
): string[] {
  if (!Object.hasOwn(fragment, 'staticPodPath')) return []
  const path = fragment['staticPodPath']
  if (isControlPlane) {
    const why = `is not allowed to be set for control plane pool ${shown(name)}`
    return [`${at}.staticPodPath: ${why}: the control plane runs from it`]
  }
  if (path === '' || path === null) return []
  return [`${at}.staticPodPath: must be empty for pool ${shown(name)}, but is ${shown(path)}`]
}

function sizingProblems(fragment: KubeletConf, isAuto: boolean): string[] {
  if (!isAuto || isNothing(own(fragment, 'systemReserved'))) return []
  return [
    'spec.autoSizingReserved and spec.kubeletConfig.systemReserved cannot be set together: leave out one',
  ]
}

/** What the original takes for "not set". */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

const own = (object: KubeletConf, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
