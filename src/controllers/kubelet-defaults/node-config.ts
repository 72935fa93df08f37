import type { NodeConfig } from '../../api/openshift-config.ts'
import { readGoDuration } from './go-duration.ts'
import { shown } from './shown.ts'

/* What config Node `cluster` says about all nodes. */

/** How often a kubelet tells that it is well, by profile. */
const frequencies: Readonly<Record<string, string>> = {
  Default: '10s',
  MediumUpdateAverageReaction: '20s',
  LowUpdateSlowReaction: '1m0s',
}
/** The word for what cannot be: shown in conditions and events. */
export interface Refusal {
  readonly message: string
  /** As the original does it: a change that is not allowed at all, and not merely a mistake. */
  readonly isProhibited: boolean
}

/** `nodeStatusUpdateFrequency` of workers; undefined where the profile leaves it alone. */
export function latencyOf(
  { spec }: Readonly<NodeConfig>,
  before: Frequency,
  fromTemplates?: string,
): string | undefined | Refusal {
  const profile: unknown = spec?.workerLatencyProfile ?? ''
  if (profile !== '' && !isProfile(profile)) {
    const known = Object.keys(frequencies).join(', ')
    return mistake(`spec.workerLatencyProfile: ${shown(profile)} is not one of ${known}`)
  }
  const wanted = profile === '' ? undefined : frequencies[profile]
  if (!isLeap(before, wanted ?? fromTemplates)) return wanted
  const message = `spec.workerLatencyProfile: transition not allowed from ${profileOf(before?.stored)} to ${profile || 'Default'}; go by MediumUpdateAverageReaction, and on from there when the pool is updated`
  return { message, isProhibited: true }
}

/** What is stored now: nothing yet, or a frequency, which may be left to the kubelet. */
export type Frequency = { readonly stored: string | undefined } | undefined

/** From one end of the scale to the other: the control plane's patience could not follow. */
function isLeap(before: Frequency, wanted: string | undefined): boolean {
  if (!before) return false
  const ends = new Set([profileOf(before.stored), profileOf(wanted)])
  return ends.has('Default') && ends.has('LowUpdateSlowReaction')
}

/** Who says nothing has the kubelet's default, which is that of the profile. */
function profileOf(frequency: string | undefined): string | undefined {
  const ms = readGoDuration(frequency ?? frequencies['Default']!)
  return Object.keys(frequencies).find((name) => readGoDuration(frequencies[name]!) === ms)
}

const isProfile = (profile: unknown): profile is string =>
  typeof profile === 'string' && Object.hasOwn(frequencies, profile)

const v2 = ['systemd.unified_cgroup_hierarchy=1', 'cgroup_no_v1="all"'] as const

/** Kernel arguments of the nodes of built-in pools. */
export function kernelArgumentsOf({ spec }: Readonly<NodeConfig>): readonly string[] | Refusal {
  const mode: unknown = spec?.cgroupMode ?? ''
  if (mode === '' || mode === 'v2') return v2
  const why =
    mode === 'v1' ? 'kubelets no longer run with cgroups of version 1' : 'it can only be v2'
  return mistake(`spec.cgroupMode: ${shown(mode)} cannot be used: ${why}`)
}

const mistake = (message: string): Refusal => ({ message, isProhibited: false })
