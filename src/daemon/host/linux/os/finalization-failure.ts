import { HostFailure } from '../../host-failure.ts'
import type { CommandRunner } from '../commands/runner.ts'

/**
 * OSTree finalizes a staged deployment during shutdown, after the daemon has stopped. The journal of the previous boot
 * contains its error, if the journal is persistent.
 */
export async function findFinalizationFailure(runner: CommandRunner): Promise<string | undefined> {
  const unit = 'ostree-finalize-staged.service'
  const args = ['--no-pager', '-b', '-1', '-o', 'cat', '-u', unit, '_UID=0']
  try {
    const { code, output } = await runner.run({ program: 'journalctl', args, limitMs: 20_000 })
    return code === 0 ? finalizationErrorIn(output) : undefined
  } catch (error) {
    // The error is only an explanation, so a missing or slow journal is ignored.
    if (error instanceof HostFailure) return undefined
    throw error
  }
}

/** The first error line of ostree. */
export const finalizationErrorIn = (journal: string): string | undefined =>
  journal.split('\n').find((line) => line.startsWith('error:'))
