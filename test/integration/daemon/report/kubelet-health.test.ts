import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { daemonMetrics } from '../../../../src/daemon/report/daemon-metrics.ts'
import type { KubeletProbe } from '../../../../src/daemon/report/kubelet-health.ts'
import { watchKubelet } from '../../../../src/daemon/report/kubelet-health.ts'

type Answer = string | Error | undefined

/** Responds with these answers in order, then with the last one; undefined is no response. */
function watched(...answers: Answer[]) {
  const clock = new VirtualClock()
  const metrics = new Metrics()
  const stop = new AbortController()
  const probe: KubeletProbe = (signal) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer instanceof Error) return Promise.reject(answer)
    if (answer !== undefined) return Promise.resolve(answer)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  }
  const numbers = daemonMetrics(metrics, clock)
  const failures = (inARow: number): void => numbers.kubelet(inARow)
  const end = watchKubelet({ probe, clock, log: silentLogger, failures }, stop.signal)
  const number = (): string | undefined => /^mcd_kubelet_state (\d+)$/m.exec(metrics.text())?.[1]
  return { clock, number, stop, end }
}

const gone = new Error('connect ECONNREFUSED 127.0.0.1:10248')

describe('the health of the kubelet', () => {
  it('is checked every 30 seconds, and consecutive failures are counted', async () => {
    const { clock, number } = watched('ok', gone, gone, gone, 'ok\n', gone)
    const seen = [number()]
    for (let turn = 0; turn < 6; turn++) {
      await clock.advance(30_000)
      seen.push(number())
    }
    expect(seen).toEqual(['0', '0', '1', '2', '3', '0', '1'])
  })

  it('is bad after an unexpected response', async () => {
    const { clock, number } = watched('not ok')
    await clock.advance(30_000)
    expect(number()).toBe('1')
  })

  it('is bad after 30 seconds without a response', async () => {
    const { clock, number } = watched(undefined, 'ok')
    await clock.advance(59_000)
    expect(number()).toBe('0')
    await clock.advance(1000)
    expect(number()).toBe('1')
    await clock.advance(30_000)
    expect(number()).toBe('0')
  })

  it('is not exposed without a check', () => {
    const metrics = new Metrics()
    daemonMetrics(metrics, new VirtualClock())
    expect(metrics.text()).not.toContain('mcd_kubelet_state')
  })

  it('ends with the daemon, also during a check', async () => {
    const { clock, stop, end } = watched(undefined)
    await clock.advance(31_000)
    stop.abort()
    await end
    expect(clock.pending).toBe(0)
  })
})
