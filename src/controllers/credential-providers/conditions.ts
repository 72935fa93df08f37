import { quoted } from '@machinist/core/quoted'
import type { ConditionReport } from '../../api/conditions.ts'
import { credentialProviderConditions as types, maxMessageLength } from '../../api/conditions.ts'
import { credentialProviderReasons as reasons } from '../../api/reasons.ts'
import type { SkippedImage } from './decide.ts'

/** The result of reconciling the object. */
export interface CredentialProvidersResult {
  readonly skipped: readonly SkippedImage[]
  /** Why pools do not have the desired MachineConfig. */
  readonly problems: readonly string[]
  /** Whether any pool has a MachineConfig. */
  readonly isRendered: boolean
  /** Whether a pool waits for another component, or a write failed: success is not known yet. */
  readonly isUndecided: boolean
}

/** The conditions of the object. While the result is undecided, only failures are reported. */
export function conditionsFor(
  result: CredentialProvidersResult,
  generation: number | undefined,
): ConditionReport[] {
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const reports = [
    { ...validated(result), ...observed },
    { ...rendered(result), ...observed },
  ]
  return reports.filter(({ status }) => status === 'False' || !result.isUndecided)
}

function validated({ skipped }: CredentialProvidersResult): ConditionReport {
  const type = types.validated
  if (skipped.length === 0) {
    return { type, status: 'True', reason: reasons.validated, message: 'Success' }
  }
  const isInvalid = skipped.some(({ other }) => !other)
  const reason = isInvalid ? reasons.validationFailed : reasons.partiallyApplied
  // The same entry in several pools is reported once.
  const entries = [...new Set(skipped.map(describeSkipped))].join('; ')
  const message = `skipped entries of spec.matchImages: ${entries}; correct or remove them`
  return { type, status: 'False', reason, message: message.slice(0, maxMessageLength) }
}

function rendered({ problems, isRendered }: CredentialProvidersResult): ConditionReport {
  const type = types.rendered
  if (problems.length > 0) {
    const message = problems.join('; ').slice(0, maxMessageLength)
    return { type, status: 'False', reason: reasons.renderingFailed, message }
  }
  const message = isRendered ? 'Success' : 'no MachineConfig is needed: there are no images to add'
  return { type, status: 'True', reason: reasons.rendered, message }
}

function describeSkipped({ image, other }: SkippedImage): string {
  const why = other
    ? `${other.provider} already covers ${quoted(other.image)}`
    : 'use host[:port][/path] in lower case, with * only for whole labels of the host'
  return `${quoted(image)} (${why})`
}
