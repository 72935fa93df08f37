import type { Release } from '../../api/validation/extensions.ts'
import type { Config } from '@machinist/ignition/config'
import type { Reason } from '@machinist/ignition/convert/cannot-convert'
import { downgrade } from '@machinist/ignition/convert/downgrade'
import { pathText } from '@machinist/ignition/report'
import type { Spec } from '@machinist/ignition/spec-version'
import {
  internalSpec,
  readVersion,
  specAtLeast,
  versionText,
} from '@machinist/ignition/spec-version'
import type { Provenance } from '../../planner/plan-input.ts'
import type { Sources } from './sources.ts'

/** The newest Ignition spec that the daemons of a release read; a newer one makes them Degraded. */
const specOfRelease: Readonly<Record<Release, Spec>> = {
  '4.12': '3.2',
  '4.16': '3.4',
  main: internalSpec,
}

export interface Versioned {
  readonly config: Config
  /** What the version of the release cannot express, in sentences; `config` is usable only if there is none. */
  readonly losses: readonly string[]
}

/** A merged config in the Ignition version of the release. */
export function forRelease(
  config: Config,
  release: Release,
  origin: { readonly sources: Sources; readonly provenance: Provenance },
): Versioned {
  const spec = specOfRelease[release]
  if (spec === internalSpec) return { config, losses: [] }
  const older = downgrade(config, spec)
  const losses = older.reasons.map((reason) => {
    const from = makersOf(reason, config, origin)
    const by = from.length > 0 ? ` (from MachineConfig ${from.join(', ')})` : ''
    return `spec.config${pathText(reason.path).slice(1)} ${reason.why}${by}`
  })
  return { config: older.config, losses }
}

/** `3.4.0`, for messages. */
export const versionOfRelease = (release: Release): string => versionText(specOfRelease[release])

/** Whether the daemons of a release read this config at all. What cannot be understood is not judged here. */
export function isReadableIn(release: Release, config: unknown): boolean {
  const { version } = (config as Partial<Config> | undefined)?.ignition ?? {}
  const spec = typeof version === 'string' ? readVersion(version) : undefined
  return spec === undefined || specAtLeast(specOfRelease[release], spec)
}

function makersOf(
  { path }: Reason,
  config: Config,
  { sources, provenance }: { readonly sources: Sources; readonly provenance: Provenance },
): string[] {
  const [top, list, index] = path
  if (top === 'storage' && list === 'files' && typeof index === 'number') {
    const brought = provenance.file?.[config.storage?.files?.[index]?.path ?? '']
    if (brought !== undefined) return [brought]
  }
  return sources.ofSection(top === 'kernelArguments' ? 'kernelArguments' : `${top}.${list}`)
}
