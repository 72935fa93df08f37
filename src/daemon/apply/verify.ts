import type { Host } from '../host/host.ts'
import type { Difference } from '../verify/difference.ts'
import type { Compared } from '../verify/differences.ts'
import { differences } from '../verify/differences.ts'
import type { Intent } from './intent.ts'
import type { KeptFiles } from './kept-files.ts'
import type { Outcome } from './update.ts'

/** Whether the machine is as the update's config says. */
export async function verify(
  host: Host,
  { update: { plan, desired } }: Intent,
  except: Compared['except'],
  kept: KeptFiles,
): Promise<Outcome> {
  const keys = plan.steps.find(
    (step) => step.do === 'write-ssh-keys' || step.do === 'remove-ssh-keys',
  )
  const compare = (): Promise<Difference[]> =>
    differences(host, desired, { os: true, except, kept, ...(keys && { keys }) })
  const first = await compare()
  // Twice, because what cannot be read now and then is no difference.
  const left = first.length === 0 ? first : await compare()
  return left.length === 0 ? { is: 'applied' } : { is: 'unverified', differences: left }
}
