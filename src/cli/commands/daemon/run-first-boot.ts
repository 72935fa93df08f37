import type { Clock } from '@machinist/core/clock'
import { sleep, systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { systemRandom } from '@machinist/core/random'
import { completeFirstBoot } from '../../../daemon/first-boot/first-boot.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { lockMachine } from './machine-lock.ts'
import type { MachineChoice } from './run-daemon.ts'
import { openMachine } from './run-daemon.ts'

/** A machine goes down in seconds, unless a service hangs. */
const shutdownTimeoutMs = 10 * 60_000

/** Completes the first boot and prints the result. Succeeds only if the machine may join now. */
export async function runFirstBoot(choice: MachineChoice, terminal: Terminal): Promise<void> {
  const clock = systemClock
  const log = createLogger({ clock, write: terminal.error })
  const stop = new AbortController()
  void terminal.stopped().then(() => stop.abort())
  const { host, root } = await openMachine(choice)
  const release = await lockMachine(root)
  try {
    const end = await completeFirstBoot({ host, clock, random: systemRandom, log }, stop.signal)
    terminal.out(`first boot: ${end}\n`)
    if (end === 'stopped') throw new Error('stopped before the first boot was complete')
    if (end === 'rebooting' && choice.host === 'linux') await waitForShutdown(clock, stop.signal)
  } finally {
    await release()
  }
}

/**
 * Waits until the machine goes down: units that start after this one must not start before the reboot. Throws if it does not go
 * down; another run then requests the reboot again.
 */
export async function waitForShutdown(clock: Clock, signal: AbortSignal): Promise<void> {
  await sleep(clock, shutdownTimeoutMs, signal)
  if (!signal.aborted) throw new Error('the machine did not reboot within 10 minutes')
}
