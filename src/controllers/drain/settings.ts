import type { DrainPolicy } from '../../api/resources.ts'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { LabelSelector } from '@machinist/core/selectors'
import { nothing, selectorFromSpec } from '@machinist/core/selectors'
import { defaultTimeoutMs } from './timing.ts'

/** How to drain the nodes of a pool. */
export interface Settings {
  readonly timeoutMs: number
  /** Instead of each pod's own. */
  readonly graceSeconds?: number
  /** From this age on pods are deleted rather than evicted. */
  readonly forceAfterMs?: number
  /** Pods that stay. */
  readonly skip: LabelSelector
  readonly keepCordoned: boolean
}

/** As the original does it. */
export const defaultSettings: Settings = {
  timeoutMs: defaultTimeoutMs,
  skip: nothing,
  keepCordoned: false,
}

/** A selector that makes no sense is InvalidInput: to drain what somebody wanted to keep would be worse than to wait. */
export function settingsOf(policy: Readonly<DrainPolicy> | undefined): Settings {
  if (!policy) return defaultSettings
  const { timeoutSeconds, gracePeriodSeconds, forceAfterSeconds, keepCordoned } = policy.spec
  return {
    timeoutMs: timeoutSeconds === undefined ? defaultTimeoutMs : timeoutSeconds * 1000,
    ...(gracePeriodSeconds !== undefined && { graceSeconds: gracePeriodSeconds }),
    ...(forceAfterSeconds !== undefined && { forceAfterMs: forceAfterSeconds * 1000 }),
    skip: skipped(policy),
    keepCordoned: keepCordoned === true,
  }
}

function skipped({ metadata, spec }: Readonly<DrainPolicy>): LabelSelector {
  try {
    const selector = selectorFromSpec(spec.skipPodSelector, nothing)
    // An empty selector would match every pod, and a drain that moves nothing is no drain.
    return selector.length === 0 ? nothing : selector
  } catch (error) {
    throw new InvalidInput(
      `DrainPolicy ${metadata.name}: skipPodSelector cannot be used: ${messageOf(error)}`,
    )
  }
}
