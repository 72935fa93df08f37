import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'
import { ScopedMetrics } from './scoped-metrics.ts'

describe('scoped metrics', () => {
  const metrics = new Metrics()
  const lines = (): string[] =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
  metrics.gauge({ name: 'lasting', help: 'h' }).set({}, 1)
  const scoped = new ScopedMetrics(metrics)
  const depth = scoped.gauge({ name: 'depth', help: 'h', labels: ['of'] })
  const done = scoped.counter({ name: 'done_total', help: 'h' })
  const took = scoped.histogram({ name: 'took', help: 'h', buckets: [1] })

  it('are part of the metrics of the process', () => {
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
    expect(scoped.text()).toBe(metrics.text())
  })

  it('keep counters and remove gauges after end()', () => {
    scoped.end()
    depth.add({ of: 'a' }, -1)
    depth.set({ of: 'c' }, 1)
    done.add({})
    expect(lines().filter((line) => !line.startsWith('took'))).toEqual([
      'lasting 1',
      'done_total 2',
    ])
  })

  it('can set the same gauge in a new scope', () => {
    new ScopedMetrics(metrics)
      .gauge({ name: 'depth', help: 'h', labels: ['of'] })
      .set({ of: 'a' }, 7)
    expect(lines()).toContain('depth{of="a"} 7')
  })
})
