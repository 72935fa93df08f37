import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { systemRandom } from '@machinist/core/random'
import { completeFirstBoot } from '../../../daemon/first-boot/first-boot.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { lockMachine } from './machine-lock.ts'
import type { MachineChoice } from './run-daemon.ts'
import { openMachine } from './run-daemon.ts'

/** Completes the first boot and prints the result. */
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
  } finally {
    await release()
  }
}
