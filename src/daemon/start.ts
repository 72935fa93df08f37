import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { BootReport, Host } from './host/host.ts'
import { tidyAfterIgnition } from './state/state-changes.ts'

interface StartOptions {
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
}

const tryAgainMs = 10_000

/** What is done once per start, before anything else; a disk that fails now may work later. */
export async function prepared(
  { host, clock, log }: StartOptions,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await tidyAfterIgnition(host.files, log)
      await host.os.facts()
      return true
    } catch (error) {
      log.error('cannot start yet', error)
      await sleep(clock, tryAgainMs, signal)
    }
  }
  return false
}

/** Only explanations and numbers: nothing waits for them. */
export async function bootReport({ host, log }: StartOptions): Promise<BootReport> {
  try {
    const report = await host.os.bootReport()
    const { finalizationFailure: failure, foreignPackages: packages } = report
    if (failure !== undefined) log.error('what was staged did not boot', new Error(failure))
    if (packages.length > 0) log.info('packages that no config asks for', { packages })
    return report
  } catch (error) {
    log.error('cannot tell how this boot came about', error)
    return { foreignPackages: [] }
  }
}
