import type { Clock } from '@machinist/core/clock'
import { HostFailure } from '../host-failure.ts'
import type { HostFiles, HostPower } from '../host.ts'
import type { CommandRunner } from './commands/runner.ts'
import { runOrThrow } from './commands/runner.ts'

export interface LinuxPowerOptions {
  readonly files: HostFiles
  readonly runner: CommandRunner
  readonly clock: Clock
}

const daemon = 'machine-config-daemon'

export class LinuxPower implements HostPower {
  readonly #files: HostFiles
  readonly #runner: CommandRunner
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
      throw new HostFailure('/proc/sys/kernel/random/boot_id does not contain a boot id', 'EINVAL')
    }
    return id
  }

  /**
   * Runs `systemctl reboot` in a transient unit, which continues when the daemon is stopped. The name of the unit is unique, so
   * that a unit that hangs does not block the next attempt.
   */
  async reboot(reason: string): Promise<void> {
    const why = oneLine(reason)
    await this.#logToJournal(`Rebooting: ${why}`)
    const number = Math.round(this.#clock.now())
    await runOrThrow(this.#runner, {
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

  /** A service finalizes the staged deployment when it is stopped, so it must be running. */
  async #afterStaging(): Promise<string[]> {
    if ((await this.#files.stat('/run/ostree-booted')) === undefined) return []
    const service = 'ostree-finalize-staged.service'
    return [`--property=Wants=${service}`, `--property=After=${service}`]
  }

  async #logToJournal(text: string): Promise<void> {
    const args = [`--identifier=${daemon}`, '--priority=notice', 'cat']
    try {
      await this.#runner.run({ program: 'systemd-cat', args, input: `${text}\n`, limitMs: 10_000 })
    } catch {
      // The description of the unit contains the reason, too, and systemd writes it to the journal.
    }
  }
}

/** Fits into one line of a unit file and of the journal. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
