import type { Config } from '../config.ts'
import type { Spec } from '../spec-version.ts'
import { specs, versionText } from '../spec-version.ts'
import type { Spec2Config } from '../spec2/config.ts'

/** Every version that is read and written, as people say it. */
export type Version = '2.2' | Spec

export const supportedVersions: readonly Version[] = ['2.2', ...specs]

export type AnyConfig = Config | Spec2Config

/** The version that a text such as `3.2` or `3.2.0` names. A patch release says the same as its minor version. */
export function versionNamed(text: string): Version | undefined {
  const minor = /^(\d+\.\d+)(?:\.\d+)?$/.exec(text)?.[1]
  return supportedVersions.find((version) => version === minor)
}

export function isSpec2(config: AnyConfig): config is Spec2Config {
  return config.ignition.version.startsWith('2.')
}

export function fullVersion(version: Version): string {
  return version === '2.2' ? '2.2.0' : versionText(version)
}
