import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'

/** Asks the kubelet how it is, and gives its answer; rejects if there is none, or a bad one. */
export type KubeletProbe = (signal: AbortSignal) => Promise<string>

export interface KubeletHealthOptions {
  readonly probe: KubeletProbe
  readonly clock: Clock
  readonly log: Logger
  /** How often in a row it was not well by now. */
  readonly failures: (inARow: number) => void
}

const askEveryMs = 30_000
const patienceMs = 30_000

/** Asks until the signal aborts. The log hears of it when it changes, not every time. */
export async function watchKubelet(
  options: KubeletHealthOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, failures } = options
  let inARow = 0
  failures(inARow)
  for (;;) {
    await sleep(clock, askEveryMs, signal)
    if (signal.aborted) return
    const problem = await kubeletProblem(options, signal)
    if (signal.aborted) return
    if (problem === undefined && inARow > 0) log.info('the kubelet is well again')
    if (problem !== undefined && inARow === 0) log.info('the kubelet is not well', { problem })
    inARow = problem === undefined ? 0 : inARow + 1
    failures(inARow)
  }
}

/** What is wrong with it; undefined: it is well. */
export async function kubeletProblem(
  { probe, clock }: Pick<KubeletHealthOptions, 'probe' | 'clock'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = new AbortController()
  const cancel = clock.after(patienceMs, () => enough.abort())
  try {
    const answer = await probe(AbortSignal.any([signal, enough.signal]))
    return answer.trim() === 'ok' ? undefined : `it answers ${JSON.stringify(answer.slice(0, 200))}`
  } catch (error) {
    return enough.signal.aborted ? `no answer within ${patienceMs / 1000} s` : messageOf(error)
  } finally {
    cancel()
  }
}
