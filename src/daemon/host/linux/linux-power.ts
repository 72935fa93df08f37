import type { Clock } from '@machinist/core/clock'
import { HostFailure } from '../host-failure.ts'
import type { HostFiles, HostPower } from '../host.ts'
import type { Runner } from './runner.ts'
import { succeed } from './runner.ts'

export interface LinuxPowerOptions {
  readonly files: HostFiles
  readonly runner: Runner
  readonly clock: Clock
}

const daemon = 'machine-config-daemon'

export class LinuxPower implements HostPower {
  readonly #files: HostFiles
  readonly #runner: Runner
  readonly #clock: Clock

  constructor({ files, runner, clock }: LinuxPowerOptions) {
    this.#files = files
    this.#runner = runner
    this.#clock = clock
  }

  async bootId(): Promise<string> {
    const text = Buffer.from(await this.#files.read('/proc/sys/kernel/random/boot_id')).toString()
    const id = text.trim()
    if (!/^[0-9a-f-]{32,36}$/.test(id)) {
      throw new HostFailure('/proc/sys/kernel/random/boot_id holds no boot id', 'EINVAL')
    }
    return id
  }

  /**
   * By a unit of its own, so that it goes on when the daemon is stopped for it; and by a new one each time, so that one
   * that got stuck does not stand in the way of the next.
   */
  async reboot(reason: string): Promise<void> {
    const why = oneLine(reason)
    await this.#note(`Rebooting: ${why}`)
    const number = Math.round(this.#clock.now())
    await succeed(this.#runner, {
      program: 'systemd-run',
      args: [
        `--unit=${daemon}-reboot-${number}`,
        `--description=${daemon}: ${why}`,
        '--collect',
        '--no-ask-password',
        ...(await this.#afterStaging()),
        '--',
        'systemctl',
        'reboot',
      ],
    })
  }

  /** What is staged becomes the next boot's by a service that works when it is stopped: so it has to run. */
  async #afterStaging(): Promise<string[]> {
    if ((await this.#files.look('/run/ostree-booted')) === undefined) return []
    const service = 'ostree-finalize-staged.service'
    return [`--property=Wants=${service}`, `--property=After=${service}`]
  }

  async #note(text: string): Promise<void> {
    const args = [`--identifier=${daemon}`, '--priority=notice', 'cat']
    try {
      await this.#runner.run({ program: 'systemd-cat', args, input: `${text}\n`, limitMs: 10_000 })
    } catch {
      // The reason is in the unit's description, too, which systemd writes to the journal.
    }
  }
}

/** Into one line of a unit file and of the journal. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
