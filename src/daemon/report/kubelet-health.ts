import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'

/** Returns the response of the kubelet's health endpoint; rejects if the request fails. */
export type KubeletProbe = (signal: AbortSignal) => Promise<string>

export interface KubeletHealthOptions {
  readonly probe: KubeletProbe
  readonly clock: Clock
  readonly log: Logger
  /** Receives the number of consecutive failures after each check. */
  readonly failures: (inARow: number) => void
}

const probeIntervalMs = 30_000
const timeoutMs = 30_000

/** Checks the kubelet until the signal aborts. Logs only changes. */
export async function watchKubelet(
  options: KubeletHealthOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, failures } = options
  let inARow = 0
  failures(inARow)
  for (;;) {
    await sleep(clock, probeIntervalMs, signal)
    if (signal.aborted) return
    const problem = await kubeletProblem(options, signal)
    if (signal.aborted) return
    if (problem === undefined && inARow > 0) log.info('the kubelet is healthy again')
    if (problem !== undefined && inARow === 0) log.info('the kubelet is unhealthy', { problem })
    inARow = problem === undefined ? 0 : inARow + 1
    failures(inARow)
  }
}

/** Why the kubelet is unhealthy; undefined if it is healthy. */
export async function kubeletProblem(
  { probe, clock }: Pick<KubeletHealthOptions, 'probe' | 'clock'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const timeout = new AbortController()
  const cancel = clock.after(timeoutMs, () => timeout.abort())
  try {
    const answer = await probe(AbortSignal.any([signal, timeout.signal]))
    return answer.trim() === 'ok'
      ? undefined
      : `unexpected response ${JSON.stringify(answer.slice(0, 200))}`
  } catch (error) {
    return timeout.signal.aborted ? `no response within ${timeoutMs / 1000} s` : messageOf(error)
  } finally {
    cancel()
  }
}
