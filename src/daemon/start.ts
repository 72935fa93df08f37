import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { BootReport, Host } from './host/host.ts'
import { cleanUpAfterIgnition } from './state/state-changes.ts'

interface StartOptions {
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
}

const retryMs = 10_000

/** Prepares the machine once per start. Retries until it works: a disk error may be temporary. */
export async function prepareStart(
  { host, clock, log }: StartOptions,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await cleanUpAfterIgnition(host.files, log)
      await host.os.facts()
      return true
    } catch (error) {
      log.error('cannot start yet, retrying', error)
      await sleep(clock, retryMs, signal)
    }
  }
  return false
}

/** Reads how this boot came about. It only feeds explanations and metrics, so a failure does not stop the daemon. */
export async function readBootReport({ host, log }: StartOptions): Promise<BootReport> {
  try {
    const report = await host.os.bootReport()
    const { finalizationFailure: failure, foreignPackages: packages } = report
    if (failure !== undefined) log.error('the staged OS did not boot', new Error(failure))
    if (packages.length > 0) log.info('found packages that no config specifies', { packages })
    return report
  } catch (error) {
    log.error('cannot read the boot report', error)
    return { foreignPackages: [] }
  }
}
