import { isObject } from '@machinist/core/json'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { http2Problem } from '../kubelet-defaults/tls-profile.ts'
import { shown } from '../kubelet-defaults/shown.ts'
import { memberPath } from './field-checks.ts'
import { readGoDuration } from '../kubelet-defaults/go-duration.ts'

/** Something that fields must not say together, or a kubelet ends as soon as it starts. */
type Rule = (conf: KubeletConf) => string | undefined | readonly string[]

const rules: readonly Rule[] = [
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
  memoryIsSetAsideOnce,
  http2Problem,
]

/** What a whole configuration would keep a kubelet from starting with. */
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
  return `systemReservedCgroup (${shown(systemReservedCgroup)}) must match systemCgroups (${shown(systemCgroups)})`
}

function systemCgroupsHaveRoot({ systemCgroups, cgroupRoot }: KubeletConf): string | undefined {
  return systemCgroups && !cgroupRoot ? 'systemCgroups needs cgroupRoot, such as "/"' : undefined
}

function enforcementIsPossible(conf: KubeletConf): string[] {
  const { cgroupsPerQOS } = conf
  const enforced = textsOf(conf['enforceNodeAllocatable'] ?? ['pods'])
  const problems: string[] = []
  const tell = (problem: string): void => void problems.push(`enforceNodeAllocatable: ${problem}`)
  if (new Set(enforced).size < enforced.length) tell('names something twice')
  if (enforced.includes('none') && enforced.length > 1) tell('has more than none')
  for (const [kind, field] of [
    ['system-reserved', 'systemReservedCgroup'],
    ['kube-reserved', 'kubeReservedCgroup'],
  ] as const) {
    const both = [kind, `${kind}-compressible`].filter((one) => enforced.includes(one))
    if (both.length > 1) tell(`has both ${both.join(' and ')}`)
    if (both.length > 0 && !conf[field]) tell(`${both[0]} needs ${field}`)
  }
  if (cgroupsPerQOS === false && enforced.some((one) => one !== 'none')) {
    tell('has to be ["none"] where cgroupsPerQOS is false')
  }
  return problems
}

function reservedCpusStandAlone(conf: KubeletConf): string | undefined {
  return conf['reservedSystemCPUs'] && conf['kubeReservedCgroup']
    ? 'reservedSystemCPUs does not go with kubeReservedCgroup'
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
    ? 'imageMaximumGCAge must be more than imageMinimumGCAge, which is 2m unless set'
    : undefined
}

function softEvictionHasGrace({ evictionSoft, evictionSoftGracePeriod }: KubeletConf): string[] {
  const graces = isObject(evictionSoftGracePeriod) ? evictionSoftGracePeriod : {}
  return Object.entries(isObject(evictionSoft) ? evictionSoft : {})
    .filter(([signal, at]) => !Object.hasOwn(graces, signal) && at !== '0%' && at !== '100%')
    .map(
      ([signal]) =>
        `${memberPath('evictionSoft', signal)} needs ${memberPath('evictionSoftGracePeriod', signal)}`,
    )
}

/** Who allows several pulls at once and says no more has them. */
function pullsFit({ serializeImagePulls, maxParallelImagePulls }: KubeletConf): string | undefined {
  return serializeImagePulls === true && Number(maxParallelImagePulls ?? 1) > 1
    ? 'maxParallelImagePulls above 1 needs serializeImagePulls: false'
    : undefined
}

function shutdownPeriodsFit(conf: KubeletConf): string[] {
  const { shutdownGracePeriodByPodPriority: byPriority } = conf
  const all = msOf(conf['shutdownGracePeriod'])
  const critical = msOf(conf['shutdownGracePeriodCriticalPods'])
  const problems: string[] = []
  if (critical > all) {
    problems.push('shutdownGracePeriodCriticalPods must not be more than shutdownGracePeriod')
  }
  for (const [field, ms] of [
    ['shutdownGracePeriod', all],
    ['shutdownGracePeriodCriticalPods', critical],
  ] as const) {
    if (ms > 0 && ms < 1000) problems.push(`${field} must be 0s, or 1s and more`)
  }
  if (Array.isArray(byPriority) && byPriority.length > 0 && (all > 0 || critical > 0)) {
    const others = 'shutdownGracePeriod and shutdownGracePeriodCriticalPods'
    problems.push(`shutdownGracePeriodByPodPriority needs ${others} to be "0s"`)
  }
  return problems
}

function logQueryHasHandler(conf: KubeletConf): string | undefined {
  return conf['enableSystemLogQuery'] === true && conf['enableSystemLogHandler'] === false
    ? 'enableSystemLogQuery needs enableSystemLogHandler'
    : undefined
}

function memoryIsSetAsideOnce({ reservedMemory }: KubeletConf): string | undefined {
  const kinds = (Array.isArray(reservedMemory) ? reservedMemory : []).flatMap((one) =>
    isObject(one) && isObject(one['limits'])
      ? Object.keys(one['limits']).map((kind) => JSON.stringify([one['numaNode'], kind]))
      : [],
  )
  return new Set(kinds).size < kinds.length
    ? 'reservedMemory sets memory of the same kind and NUMA node aside twice'
    : undefined
}

const msOf = (value: unknown): number =>
  typeof value === 'string' ? (readGoDuration(value) ?? 0) : 0

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
