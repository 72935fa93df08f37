import type { Config } from '../spec/config.ts'
import type { Spec } from '../spec/version.ts'
import { specs, versionText } from '../spec/version.ts'
import type { Spec2Config } from '../spec2/config.ts'

/** The supported versions, as major.minor. */
export type IgnitionVersion = '2.2' | Spec

export const supportedVersions: readonly IgnitionVersion[] = ['2.2', ...specs]

export type AnyConfig = Config | Spec2Config

/** The version of a text such as `3.2` or `3.2.0`. The patch number is ignored. */
export function versionNamed(text: string): IgnitionVersion | undefined {
  const minor = /^(\d+\.\d+)(?:\.\d+)?$/.exec(text)?.[1]
  return supportedVersions.find((version) => version === minor)
}

export function isSpec2(config: AnyConfig): config is Spec2Config {
  return config.ignition.version.startsWith('2.')
}

export function fullVersion(version: IgnitionVersion): string {
  return version === '2.2' ? '2.2.0' : versionText(version)
}
