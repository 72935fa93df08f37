import { describe, expect, it } from 'vitest'
import { HostFailure } from '../../host-failure.ts'
import type { Ended, Runner } from '../runner.ts'
import { shown } from '../runner.ts'
import { failureIn, finalizationFailure } from './finalization-failure.ts'

/** As the journal has it when /boot was full. */
const journal = `Starting ostree-finalize-staged.service - OSTree Finalize Staged Deployment...
Finished ostree-finalize-staged.service - OSTree Finalize Staged Deployment.
Stopping ostree-finalize-staged.service - OSTree Finalize Staged Deployment...
Finalizing staged deployment
error: Installing kernel: regfile copy: No space left on device
ostree-finalize-staged.service: Control process exited, code=exited, status=1/FAILURE
`

class Journal implements Runner {
  readonly ran: string[] = []
  readonly #answer: Ended | HostFailure

  constructor(answer: Ended | HostFailure) {
    this.#answer = answer
  }

  async run(command: Parameters<Runner['run']>[0]): Promise<Ended> {
    this.ran.push(shown(command))
    if (this.#answer instanceof HostFailure) throw this.#answer
    return this.#answer
  }
}

describe('why what was staged does not run', () => {
  it('is what ostree said as the machine went down', async () => {
    const runner = new Journal({ code: 0, output: journal, complaint: '' })
    expect(await finalizationFailure(runner)).toBe(
      'error: Installing kernel: regfile copy: No space left on device',
    )
    expect(runner.ran).toEqual([
      'journalctl --no-pager -b -1 -o cat -u ostree-finalize-staged.service _UID=0',
    ])
  })

  it('is nothing when all went well', () => {
    expect(failureIn(journal.replace(/^error:.*\n/m, ''))).toBeUndefined()
    expect(failureIn('')).toBeUndefined()
  })

  it('is not known without a journal of the boot before', async () => {
    const none = { code: 1, output: '', complaint: 'Specifying boot ID has no effect' }
    expect(await finalizationFailure(new Journal(none))).toBeUndefined()
    const missing = new HostFailure('journalctl cannot be started', 'ENOENT')
    expect(await finalizationFailure(new Journal(missing))).toBeUndefined()
  })
})
