import { isObject } from '@machinist/core/encoding/json'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { http2Problem } from '../kubelet-defaults/tls-profile.ts'
import { describeValue } from '../kubelet-defaults/describe-value.ts'
import { readGoDuration } from '../kubelet-defaults/go-duration.ts'
import { memberPath } from './field-checks.ts'

/** A rule across several fields; a kubelet exits at startup if one is violated. */
type MergedRule = (conf: KubeletConf) => string | undefined | readonly string[]

const rules: readonly MergedRule[] = [
  cgroupsAreTheSame,
  systemCgroupsHaveRoot,
  enforcementIsPossible,
  reservedCpusStandAlone,
  imageThresholdsAreOrdered,
  imageAgesAreOrdered,
  softEvictionHasGrace,
  pullsFit,
  shutdownPeriodsFit,
  logQueryHasHandler,
  memoryIsReservedOnce,
  http2Problem,
]

/** Why a kubelet would not start with a whole configuration. */
export function ruleProblems(conf: KubeletConf): string[] {
  return rules.flatMap((rule) => rule(conf) ?? [])
}

function cgroupsAreTheSame({
  systemReservedCgroup,
  systemCgroups,
}: KubeletConf): string | undefined {
  if (!systemReservedCgroup || !systemCgroups || systemReservedCgroup === systemCgroups) {
    return undefined
  }
  return `systemReservedCgroup (${describeValue(systemReservedCgroup)}) must match systemCgroups (${describeValue(systemCgroups)})`
}

function systemCgroupsHaveRoot({ systemCgroups, cgroupRoot }: KubeletConf): string | undefined {
  return systemCgroups && !cgroupRoot ? 'systemCgroups requires cgroupRoot, such as "/"' : undefined
}

function enforcementIsPossible(conf: KubeletConf): string[] {
  const { cgroupsPerQOS } = conf
  const enforced = stringsOf(conf['enforceNodeAllocatable'] ?? ['pods'])
  const problems: string[] = []
  const add = (problem: string): void => void problems.push(`enforceNodeAllocatable: ${problem}`)
  if (new Set(enforced).size < enforced.length) add('has duplicate entries')
  if (enforced.includes('none') && enforced.length > 1) add('none must be the only entry')
  for (const [kind, field] of [
    ['system-reserved', 'systemReservedCgroup'],
    ['kube-reserved', 'kubeReservedCgroup'],
  ] as const) {
    const both = [kind, `${kind}-compressible`].filter((one) => enforced.includes(one))
    if (both.length > 1) add(`${both.join(' and ')} are mutually exclusive`)
    if (both.length > 0 && !conf[field]) add(`${both[0]} requires ${field}`)
  }
  if (cgroupsPerQOS === false && enforced.some((one) => one !== 'none')) {
    add('must be ["none"] if cgroupsPerQOS is false')
  }
  return problems
}

function reservedCpusStandAlone(conf: KubeletConf): string | undefined {
  return conf['reservedSystemCPUs'] && conf['kubeReservedCgroup']
    ? 'reservedSystemCPUs and kubeReservedCgroup are mutually exclusive'
    : undefined
}

function imageThresholdsAreOrdered(conf: KubeletConf): string | undefined {
  const high = Number(conf['imageGCHighThresholdPercent'] ?? 85)
  const low = Number(conf['imageGCLowThresholdPercent'] ?? 80)
  return low < high
    ? undefined
    : `imageGCLowThresholdPercent (${low}) must be less than imageGCHighThresholdPercent (${high})`
}

function imageAgesAreOrdered(conf: KubeletConf): string | undefined {
  const most = msOf(conf['imageMaximumGCAge'])
  const least = msOf(conf['imageMinimumGCAge']) || 120_000
  return most > 0 && most <= least
    ? 'imageMaximumGCAge must be greater than imageMinimumGCAge (default 2m)'
    : undefined
}

function softEvictionHasGrace({ evictionSoft, evictionSoftGracePeriod }: KubeletConf): string[] {
  const graces = isObject(evictionSoftGracePeriod) ? evictionSoftGracePeriod : {}
  return Object.entries(isObject(evictionSoft) ? evictionSoft : {})
    .filter(([signal, at]) => !Object.hasOwn(graces, signal) && at !== '0%' && at !== '100%')
    .map(
      ([signal]) =>
        `${memberPath('evictionSoft', signal)} requires ${memberPath('evictionSoftGracePeriod', signal)}`,
    )
}

/** maxParallelImagePulls above 1 has no meaning with serialized pulls, and the kubelet rejects it. */
function pullsFit({ serializeImagePulls, maxParallelImagePulls }: KubeletConf): string | undefined {
  return serializeImagePulls === true && Number(maxParallelImagePulls ?? 1) > 1
    ? 'maxParallelImagePulls above 1 requires serializeImagePulls: false'
    : undefined
}

function shutdownPeriodsFit(conf: KubeletConf): string[] {
  const { shutdownGracePeriodByPodPriority: byPriority } = conf
  const all = msOf(conf['shutdownGracePeriod'])
  const critical = msOf(conf['shutdownGracePeriodCriticalPods'])
  const problems: string[] = []
  if (critical > all) {
    problems.push('shutdownGracePeriodCriticalPods must not exceed shutdownGracePeriod')
  }
  for (const [field, ms] of [
    ['shutdownGracePeriod', all],
    ['shutdownGracePeriodCriticalPods', critical],
  ] as const) {
    if (ms > 0 && ms < 1000) problems.push(`${field} must be 0s or at least 1s`)
  }
  if (Array.isArray(byPriority) && byPriority.length > 0 && (all > 0 || critical > 0)) {
    const others = 'shutdownGracePeriod and shutdownGracePeriodCriticalPods'
    problems.push(`shutdownGracePeriodByPodPriority requires ${others} to be "0s"`)
  }
  return problems
}

function logQueryHasHandler(conf: KubeletConf): string | undefined {
  return conf['enableSystemLogQuery'] === true && conf['enableSystemLogHandler'] === false
    ? 'enableSystemLogQuery requires enableSystemLogHandler'
    : undefined
}

function memoryIsReservedOnce({ reservedMemory }: KubeletConf): string | undefined {
  const kinds = (Array.isArray(reservedMemory) ? reservedMemory : []).flatMap((one) =>
    isObject(one) && isObject(one['limits'])
      ? Object.keys(one['limits']).map((kind) => JSON.stringify([one['numaNode'], kind]))
      : [],
  )
  return new Set(kinds).size < kinds.length
    ? 'reservedMemory reserves the same memory type of a NUMA node twice'
    : undefined
}

const msOf = (value: unknown): number =>
  typeof value === 'string' ? (readGoDuration(value) ?? 0) : 0

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
