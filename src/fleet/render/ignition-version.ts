import type { Config } from '@machinist/ignition/spec/config'
import type { ConversionReason } from '@machinist/ignition/report/cannot-convert'
import { downgrade } from '@machinist/ignition/convert/downgrade'
import { pathText } from '@machinist/ignition/report/report'
import type { Spec } from '@machinist/ignition/spec/version'
import {
  internalSpec,
  readVersion,
  specAtLeast,
  versionText,
} from '@machinist/ignition/spec/version'
import type { Release } from '../../api/validation/extensions.ts'
import type { Provenance } from '../../planner/model/plan-input.ts'
import type { MergeSources } from './sources.ts'

/** The newest Ignition spec that the daemons of a release read; a newer one makes them Degraded. */
const specOfRelease: Readonly<Record<Release, Spec>> = {
  '4.12': '3.2',
  '4.16': '3.4',
  main: internalSpec,
}

export interface ReleaseConfig {
  readonly config: Config
  /** Fields that the Ignition version of the release cannot express, as sentences; `config` is usable only without any. */
  readonly losses: readonly string[]
}

/** Converts a merged config to the Ignition version of the release. */
export function convertForRelease(
  config: Config,
  release: Release,
  origin: { readonly sources: MergeSources; readonly provenance: Provenance },
): ReleaseConfig {
  const spec = specOfRelease[release]
  if (spec === internalSpec) return { config, losses: [] }
  const older = downgrade(config, spec)
  const losses = older.reasons.map((reason) => {
    const origins = originsOf(reason, config, origin)
    const by = origins.length > 0 ? ` (from MachineConfig ${origins.join(', ')})` : ''
    return `spec.config${pathText(reason.path).slice(1)} ${reason.why}${by}`
  })
  return { config: older.config, losses }
}

/** `3.4.0`, for messages. */
export const versionOfRelease = (release: Release): string => versionText(specOfRelease[release])

/** Whether the daemons of a release can read this Ignition version. True for an unknown version. */
export function isReadableIn(release: Release, config: unknown): boolean {
  const { version } = (config as Partial<Config> | undefined)?.ignition ?? {}
  const spec = typeof version === 'string' ? readVersion(version) : undefined
  return spec === undefined || specAtLeast(specOfRelease[release], spec)
}

function originsOf(
  { path }: ConversionReason,
  config: Config,
  { sources, provenance }: { readonly sources: MergeSources; readonly provenance: Provenance },
): string[] {
  const [top, list, index] = path
  if (top === 'storage' && list === 'files' && typeof index === 'number') {
    const source = provenance.file?.[config.storage?.files?.[index]?.path ?? '']
    if (source !== undefined) return [source]
  }
  return sources.ofSection(top === 'kernelArguments' ? 'kernelArguments' : `${top}.${list}`)
}
