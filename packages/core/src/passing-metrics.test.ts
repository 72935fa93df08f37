import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'
import { PassingMetrics } from './passing-metrics.ts'

describe('metrics of somebody who will stop', () => {
  const metrics = new Metrics()
  const lines = (): string[] =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
  metrics.gauge({ name: 'lasting', help: 'h' }).set({}, 1)
  const passing = new PassingMetrics(metrics)
  const depth = passing.gauge({ name: 'depth', help: 'h', labels: ['of'] })
  const done = passing.counter({ name: 'done_total', help: 'h' })
  const took = passing.histogram({ name: 'took', help: 'h', buckets: [1] })

  it('are those of the process', () => {
    depth.set({ of: 'a' }, 2)
    depth.add({ of: 'a' }, 1)
    depth.set({ of: 'b' }, 1)
    depth.forget({ of: 'b' })
    done.add({})
    took.observe({}, 0.5)
    expect(lines()).toEqual([
      'lasting 1',
      'depth{of="a"} 3',
      'done_total 1',
      'took_bucket{le="1"} 1',
      'took_bucket{le="+Inf"} 1',
      'took_sum 0.5',
      'took_count 1',
    ])
    expect(passing.text()).toBe(metrics.text())
  })

  it('tell nothing of how things are when it has stopped, but what was counted', () => {
    passing.end()
    depth.add({ of: 'a' }, -1)
    depth.set({ of: 'c' }, 1)
    done.add({})
    expect(lines().filter((line) => !line.startsWith('took'))).toEqual([
      'lasting 1',
      'done_total 2',
    ])
  })

  it('begin anew with the next one', () => {
    new PassingMetrics(metrics)
      .gauge({ name: 'depth', help: 'h', labels: ['of'] })
      .set({ of: 'a' }, 7)
    expect(lines()).toContain('depth{of="a"} 7')
  })
})
