import { HostFailure } from '../../host-failure.ts'
import type { Runner } from '../runner.ts'

/**
 * What is staged becomes the next boot's while the machine goes down, when nobody is there to hear of a failure. It is in the
 * journal of the boot before, where there is one.
 */
export async function finalizationFailure(runner: Runner): Promise<string | undefined> {
  const unit = 'ostree-finalize-staged.service'
  const args = ['--no-pager', '-b', '-1', '-o', 'cat', '-u', unit, '_UID=0']
  try {
    const { code, output } = await runner.run({ program: 'journalctl', args, limitMs: 20_000 })
    return code === 0 ? failureIn(output) : undefined
  } catch (error) {
    // A machine without a journal, or with one that takes for ever, tells nothing. It is only an explanation.
    if (error instanceof HostFailure) return undefined
    throw error
  }
}

/** The first line in which ostree complains. */
export const failureIn = (journal: string): string | undefined =>
  journal.split('\n').find((line) => line.startsWith('error:'))
