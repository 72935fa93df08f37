import { describe, expect, it } from 'vitest'
import { HostFailure } from '../../host-failure.ts'
import type { CommandResult, CommandRunner } from '../commands/runner.ts'
import { formatCommand } from '../commands/runner.ts'
import { finalizationErrorIn, findFinalizationFailure } from './finalization-failure.ts'

/** The journal if /boot is full. */
const journal = `Starting ostree-finalize-staged.service - OSTree Finalize Staged Deployment...
Finished ostree-finalize-staged.service - OSTree Finalize Staged Deployment.
Stopping ostree-finalize-staged.service - OSTree Finalize Staged Deployment...
Finalizing staged deployment
error: Installing kernel: regfile copy: No space left on device
ostree-finalize-staged.service: Control process exited, code=exited, status=1/FAILURE
`

class Journal implements CommandRunner {
  readonly ran: string[] = []
  readonly #answer: CommandResult | HostFailure

  constructor(answer: CommandResult | HostFailure) {
    this.#answer = answer
  }

  async run(command: Parameters<CommandRunner['run']>[0]): Promise<CommandResult> {
    this.ran.push(formatCommand(command))
    if (this.#answer instanceof HostFailure) throw this.#answer
    return this.#answer
  }
}

describe('the finalization failure', () => {
  it('is the error of ostree in the previous boot', async () => {
    const runner = new Journal({ code: 0, output: journal, errorLine: '' })
    expect(await findFinalizationFailure(runner)).toBe(
      'error: Installing kernel: regfile copy: No space left on device',
    )
    expect(runner.ran).toEqual([
      'journalctl --no-pager -b -1 -o cat -u ostree-finalize-staged.service _UID=0',
    ])
  })

  it('is undefined after a success', () => {
    expect(finalizationErrorIn(journal.replace(/^error:.*\n/m, ''))).toBeUndefined()
    expect(finalizationErrorIn('')).toBeUndefined()
  })

  it('is undefined without a journal of the previous boot', async () => {
    const none = { code: 1, output: '', errorLine: 'Specifying boot ID has no effect' }
    expect(await findFinalizationFailure(new Journal(none))).toBeUndefined()
    const missing = new HostFailure('journalctl cannot be started', 'ENOENT')
    expect(await findFinalizationFailure(new Journal(missing))).toBeUndefined()
  })
})
