import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { LabelSelector } from '@machinist/core/objects/selectors'
import { nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { DrainPolicy } from '../../api/kinds/resources.ts'
import { defaultTimeoutMs } from './timing.ts'

/** How to drain the nodes of a pool. */
export interface DrainSettings {
  readonly timeoutMs: number
  /** Overrides the grace period of the pods. */
  readonly graceSeconds?: number
  /** The age of the drain from which on pods are deleted instead of evicted. */
  readonly forceAfterMs?: number
  /** Selects pods that stay. */
  readonly skip: LabelSelector
  readonly keepCordoned: boolean
}

/** The behaviour of MCO. */
export const defaultSettings: DrainSettings = {
  timeoutMs: defaultTimeoutMs,
  skip: nothing,
  keepCordoned: false,
}

/** Throws InvalidInput for an invalid selector: waiting is better than evicting pods that a user wants to keep. */
export function settingsOf(policy: Readonly<DrainPolicy> | undefined): DrainSettings {
  if (!policy) return defaultSettings
  const { timeoutSeconds, gracePeriodSeconds, forceAfterSeconds, keepCordoned } = policy.spec
  return {
    timeoutMs: timeoutSeconds === undefined ? defaultTimeoutMs : timeoutSeconds * 1000,
    ...(gracePeriodSeconds !== undefined && { graceSeconds: gracePeriodSeconds }),
    ...(forceAfterSeconds !== undefined && { forceAfterMs: forceAfterSeconds * 1000 }),
    skip: skipSelectorOf(policy),
    keepCordoned: keepCordoned === true,
  }
}

function skipSelectorOf({ metadata, spec }: Readonly<DrainPolicy>): LabelSelector {
  try {
    const selector = selectorFromSpec(spec.skipPodSelector, nothing)
    // An empty selector would match every pod, and the drain would evict none.
    return selector.length === 0 ? nothing : selector
  } catch (error) {
    throw new InvalidInput(
      `DrainPolicy ${metadata.name}: skipPodSelector is invalid: ${messageOf(error)}`,
    )
  }
}
