import { InvalidInput } from '@machinist/core/errors'
import type { Config } from '../spec/config.ts'
import { internalSpec, specOf } from '../spec/version.ts'
import type { Spec } from '../spec/version.ts'
import type { Spec2Config } from '../spec2/config.ts'
import { fromSpec3 } from '../spec2/from-spec3.ts'
import { lostInSpec2 } from '../spec2/lost-in-spec2.ts'
import { upgradeSpec2 } from '../spec2/upgrade.ts'
import type { ConversionReason } from '../report/cannot-convert.ts'
import { CannotConvert } from '../report/cannot-convert.ts'
import { downgrade } from './downgrade.ts'
import { upgrade } from './upgrade.ts'
import type { AnyConfig, IgnitionVersion } from './versions.ts'
import { fullVersion, isSpec2, supportedVersions } from './versions.ts'

/**
 * Converts a valid config to another version of the spec. An upgrade within spec 3 always succeeds; a conversion that would lose
 * data throws CannotConvert with all reasons.
 */
export function convert(config: AnyConfig, to: '2.2'): Spec2Config
export function convert(config: AnyConfig, to: Spec): Config
export function convert(config: AnyConfig, to: IgnitionVersion): AnyConfig
export function convert(config: AnyConfig, to: IgnitionVersion): AnyConfig {
  if (config.ignition.version === fullVersion(to)) return config
  const internal = toInternal(config)
  if (to === '2.2') return toSpec2(internal)
  if (to === internalSpec) return internal
  const older = downgrade(internal, to)
  throwIfAny(older.reasons, to)
  return older.config
}

/** Converts a config of any version to the internal version. */
export function toInternal(config: AnyConfig): Config {
  if (isSpec2(config)) {
    const upgraded = upgradeSpec2(config)
    throwIfAny(upgraded.reasons, internalSpec)
    return upgraded.config
  }
  const spec = specOf(config.ignition.version)
  if (spec) return upgrade(config, spec)
  const supported = supportedVersions.map(fullVersion).join(', ')
  throw new InvalidInput(
    `Ignition version "${config.ignition.version}" is not supported; use one of ${supported}`,
  )
}

/** Spec 2.2 cannot express more than 3.0, and in some places less. */
function toSpec2(config: Config): Spec2Config {
  const older = downgrade(config, '3.0')
  throwIfAny([...older.reasons, ...lostInSpec2(older.config)], '2.2')
  return fromSpec3(older.config)
}

function throwIfAny(reasons: readonly ConversionReason[], to: IgnitionVersion): void {
  if (reasons.length > 0) throw new CannotConvert(fullVersion(to), reasons)
}
