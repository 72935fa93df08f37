import type { Host } from '../../host/host.ts'
import type { Difference } from '../../verify/difference.ts'
import type { CompareOptions } from '../../verify/differences.ts'
import { findDifferences } from '../../verify/differences.ts'
import type { Intent } from '../intent.ts'
import type { SharedFiles } from '../../verify/shared-files.ts'
import type { UpdateOutcome } from '../update.ts'

/** Compares the machine with the desired config of the update. */
export async function verifyUpdate(
  host: Host,
  { update: { plan, desired } }: Intent,
  except: CompareOptions['except'],
  shared: SharedFiles,
): Promise<UpdateOutcome> {
  const keys = plan.steps.find(
    (step) => step.do === 'write-ssh-keys' || step.do === 'remove-ssh-keys',
  )
  const compare = (): Promise<Difference[]> =>
    findDifferences(host, desired, { os: true, except, shared, ...(keys && { keys }) })
  const first = await compare()
  // Compare again, because a transient read error is not a difference.
  const left = first.length === 0 ? first : await compare()
  return left.length === 0 ? { type: 'applied' } : { type: 'unverified', differences: left }
}
