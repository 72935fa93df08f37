import type { ConditionReport } from '../../api/conditions.ts'
import { credentialProviderConditions as types, longestMessage } from '../../api/conditions.ts'
import { credentialProviderReasons as reasons } from '../../api/reasons.ts'
import { quoted } from '@machinist/core/quoted'
import type { LeftOut } from './decide.ts'

/** What became of the object. */
export interface Verdict {
  readonly leftOut: readonly LeftOut[]
  /** Why pools do not have what they should. */
  readonly problems: readonly string[]
  /** Whether there is a MachineConfig of it in any pool. */
  readonly isMade: boolean
  /** Whether some pool cannot be served yet. */
  readonly isWaiting: boolean
}

/** What the object is told. As long as something is waited for, only what fails: nobody shall take the rest for the whole. */
export function reportsOf(verdict: Verdict, generation: number | undefined): ConditionReport[] {
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const reports = [
    { ...validated(verdict), ...observed },
    { ...rendered(verdict), ...observed },
  ]
  return reports.filter(({ status }) => status === 'False' || !verdict.isWaiting)
}

function validated({ leftOut }: Verdict): ConditionReport {
  const type = types.validated
  if (leftOut.length === 0) {
    return { type, status: 'True', reason: reasons.validated, message: 'Success' }
  }
  const isInvalid = leftOut.some(({ other }) => !other)
  const reason = isInvalid ? reasons.validationFailed : reasons.partiallyApplied
  // The same in several pools is told once.
  const told = [...new Set(leftOut.map(inWords))].join('; ')
  const message = `remove or change what is left out of spec.matchImages: ${told}`
  return { type, status: 'False', reason, message: message.slice(0, longestMessage) }
}

function rendered({ problems, isMade }: Verdict): ConditionReport {
  const type = types.rendered
  if (problems.length > 0) {
    const message = problems.join('; ').slice(0, longestMessage)
    return { type, status: 'False', reason: reasons.renderingFailed, message }
  }
  const message = isMade
    ? 'Success'
    : 'there is nothing to add to what kubelets have, so no MachineConfig is made'
  return { type, status: 'True', reason: reasons.rendered, message }
}

function inWords({ image, other }: LeftOut): string {
  const why = other
    ? `${other.provider} is asked about ${quoted(other.image)}`
    : 'write host[:port][/path] in lower case, with * for whole labels of the host only'
  return `${quoted(image)} (${why})`
}
