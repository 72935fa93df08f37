import type { NodeConfig } from '../../api/openshift-config.ts'
import { readGoDuration } from './go-duration.ts'
import { describeValue } from './describe-value.ts'

/* Settings of config.openshift.io Node `cluster` for all nodes. */

/** `nodeStatusUpdateFrequency` by latency profile. */
const frequencies: Readonly<Record<string, string>> = {
  Default: '10s',
  MediumUpdateAverageReaction: '20s',
  LowUpdateSlowReaction: '1m0s',
}
/** An invalid setting, for conditions and events. */
export interface NodeConfigProblem {
  readonly message: string
  /** As in MCO: a transition that is not allowed, as opposed to an invalid value. */
  readonly isProhibited: boolean
}

/** `nodeStatusUpdateFrequency` of workers; undefined if the profile does not set it. */
export function statusUpdateFrequency(
  { spec }: Readonly<NodeConfig>,
  before: StoredFrequency,
  fromTemplates?: string,
): string | undefined | NodeConfigProblem {
  const profile: unknown = spec?.workerLatencyProfile ?? ''
  if (profile !== '' && !isProfile(profile)) {
    const known = Object.keys(frequencies).join(', ')
    return invalid(`spec.workerLatencyProfile: ${describeValue(profile)} is not one of ${known}`)
  }
  const desired = profile === '' ? undefined : frequencies[profile]
  if (!skipsProfile(before, desired ?? fromTemplates)) return desired
  const message = `spec.workerLatencyProfile: transition not allowed from ${profileOf(before?.stored)} to ${profile || 'Default'}; set MediumUpdateAverageReaction first, and wait until the pool is updated`
  return { message, isProhibited: true }
}

/** The stored frequency: no layer yet, or a layer that may leave the frequency to the kubelet. */
export type StoredFrequency = { readonly stored: string | undefined } | undefined

/** Whether a transition skips the medium profile: the timeouts of the control plane could not follow. */
function skipsProfile(before: StoredFrequency, desired: string | undefined): boolean {
  if (!before) return false
  const ends = new Set([profileOf(before.stored), profileOf(desired)])
  return ends.has('Default') && ends.has('LowUpdateSlowReaction')
}

/** An unset frequency is the default of the kubelet, which equals the Default profile. */
function profileOf(frequency: string | undefined): string | undefined {
  const ms = readGoDuration(frequency ?? frequencies['Default']!)
  return Object.keys(frequencies).find((name) => readGoDuration(frequencies[name]!) === ms)
}

const isProfile = (profile: unknown): profile is string =>
  typeof profile === 'string' && Object.hasOwn(frequencies, profile)

const v2 = ['systemd.unified_cgroup_hierarchy=1', 'cgroup_no_v1="all"'] as const

/** Kernel arguments of the nodes of built-in pools. */
export function kernelArgumentsOf({
  spec,
}: Readonly<NodeConfig>): readonly string[] | NodeConfigProblem {
  const mode: unknown = spec?.cgroupMode ?? ''
  if (mode === '' || mode === 'v2') return v2
  const why = mode === 'v1' ? 'kubelets no longer support cgroup v1' : 'it is unknown'
  return invalid(`spec.cgroupMode: ${describeValue(mode)} is not supported: ${why}; use v2`)
}

const invalid = (message: string): NodeConfigProblem => ({ message, isProhibited: false })
