import { readDuration } from '@machinist/core/duration'
import { ownPoolAnnotations } from '../../api/annotations.ts'

export interface TokenSettings {
  /** How long a token is in use before it is rotated. */
  readonly refreshMs: number
  /** How long the previous token stays valid after a rotation. */
  readonly overlapMs: number
  /** Annotations that are not durations, or too short: the default is in effect. */
  readonly problems: readonly string[]
}

const hour = 3_600_000
const defaultTokenSettings = { refreshMs: 30 * 24 * hour, overlapMs: 7 * 24 * hour } as const

/** Shorter times would not be sufficient to update user data, or for a machine to boot. */
const leastMs = hour

/** The settings in the annotations of a pool. */
export function readTokenSettings(
  annotations: Readonly<Record<string, string>> = {},
): TokenSettings {
  const problems: string[] = []
  const duration = (key: string, defaultMs: number): number => {
    const text = annotations[key]
    if (text === undefined) return defaultMs
    const ms = readDuration(text)
    if (ms !== undefined && ms >= leastMs) return ms
    problems.push(
      `annotation ${key} must be a duration of at least 1h, such as ${defaultMs / hour}h: the default of ${defaultMs / hour}h is in effect`,
    )
    return defaultMs
  }
  const { refreshMs, overlapMs } = defaultTokenSettings
  return {
    refreshMs: duration(ownPoolAnnotations.provisioningTokenRefresh, refreshMs),
    overlapMs: duration(ownPoolAnnotations.provisioningTokenOverlap, overlapMs),
    problems,
  }
}
