import { isObject } from '@machinist/core/encoding/json'
import { ownSettingsAnnotations } from '../../api/annotations.ts'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { describeValue } from '../kubelet-defaults/describe-value.ts'
import { tlsSettings } from '../kubelet-defaults/tls-profile.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { readFragment } from './fragment.ts'
import { kubeletFields } from './kubelet-fields.ts'

const at = 'spec.kubeletConfig'

/** All problems of one object in one pool. Each message begins with the field. */
export function kubeletConfigProblems(
  object: Readonly<KubeletConfig>,
  pool: PoolSettings,
): string[] {
  const { logLevel, tlsSecurityProfile } = object.spec ?? {}
  const tls = isObject(tlsSecurityProfile) ? tlsSettings(tlsSecurityProfile).problems : []
  const fragment = readFragment(object)
  return [
    ...logLevelProblems(logLevel),
    ...tls.map((problem) => `spec.tlsSecurityProfile.${problem}`),
    ...(typeof fragment === 'string' ? [fragment] : fragmentProblems(object, fragment, pool)),
  ]
}

/** Fields that have no effect, as in MCO. */
export function ineffectiveFields({ spec }: Readonly<KubeletConfig>): string[] {
  const { systemGomaxprocsBehavior: behavior } = spec ?? {}
  if (behavior === undefined || behavior === null) return []
  return [
    `spec.systemGomaxprocsBehavior: ${describeValue(behavior)} has no effect: Machinist does not set GOMAXPROCS for kubelets and container runtimes, so the default of Go applies; remove the field`,
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
  return isLevel ? [] : [`spec.logLevel: ${describeValue(level)} is not an integer from 0 to 10`]
}

/** Fields that the cluster sets: with other values, a node may not come back after a reboot. */
const forbidden: readonly (readonly [string, string])[] = [
  ['cgroupDriver', 'it must equal that of the container runtime'],
  ['clusterDNS', "it is set from the cluster's network configuration"],
  ['clusterDomain', "it is set from the cluster's network configuration"],
  ['featureGates', 'feature gates are set from FeatureGate cluster, if the cluster has one'],
]

function forbiddenProblems(fragment: KubeletConf): string[] {
  const problems = forbidden
    .filter(([field]) => !isUnset(own(fragment, field)))
    .map(([field, why]) => notAllowed(field, why))
  if (typeof own(fragment, 'failSwapOn') === 'boolean') {
    problems.push(notAllowed('failSwapOn', 'the cluster configures swap'))
  }
  const swap = own(fragment, 'memorySwap')
  if (isObject(swap) && !isUnset(own(swap, 'swapBehavior'))) {
    problems.push(notAllowed('memorySwap.swapBehavior', 'the cluster configures swap'))
  }
  return problems
}

const notAllowed = (field: string, why: string): string =>
  `${at}.${field}: must not be set: ${why}; remove it`

/** The control plane runs as static pods; in other pools, static pods can be disabled. */
function staticPodProblems(
  fragment: KubeletConf,
  { name, isControlPlane }: PoolSettings,
): string[] {
  if (!Object.hasOwn(fragment, 'staticPodPath')) return []
  const path = fragment['staticPodPath']
  if (isControlPlane) {
    const why = `must not be set for control plane pool ${describeValue(name)}`
    return [`${at}.staticPodPath: ${why}: the control plane runs as static pods; remove it`]
  }
  if (path === '' || path === null) return []
  return [
    `${at}.staticPodPath: ${describeValue(path)} is not supported for pool ${describeValue(name)}; use "" to disable static pods, or remove it`,
  ]
}

function sizingProblems(fragment: KubeletConf, isAuto: boolean): string[] {
  if (!isAuto || isUnset(own(fragment, 'systemReserved'))) return []
  return [
    'spec.autoSizingReserved and spec.kubeletConfig.systemReserved are mutually exclusive; remove one',
  ]
}

/** What MCO treats as not set. */
function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

const own = (object: KubeletConf, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
