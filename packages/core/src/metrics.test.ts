import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'

describe('metrics', () => {
  it('print counters and gauges in the Prometheus text format', () => {
    const metrics = new Metrics()
    const writes = metrics.counter({ name: 'writes_total', help: 'Writes.', labels: ['path'] })
    const depth = metrics.gauge({ name: 'depth', help: 'Two\nlines \\ and a slash.' })
    writes.add({ path: '/etc/"a"\n' })
    writes.add({ path: '/etc/"a"\n' }, 2)
    depth.set({}, 5)
    depth.add({}, -2)
    expect(metrics.text()).toBe(
      [
        '# HELP writes_total Writes.',
        '# TYPE writes_total counter',
        String.raw`writes_total{path="/etc/\"a\"\n"} 3`,
        String.raw`# HELP depth Two\nlines \\ and a slash.`,
        '# TYPE depth gauge',
        'depth 3',
        '',
      ].join('\n'),
    )
  })

  it('print histograms with cumulative buckets', () => {
    const metrics = new Metrics()
    const took = metrics.histogram({ name: 'took', help: 'h', labels: ['c'], buckets: [0.1, 1] })
    for (const value of [0.05, 0.1, 0.5, 7]) took.observe({ c: 'x' }, value)
    expect(metrics.text().split('\n').slice(2, -1)).toEqual([
      'took_bucket{c="x",le="0.1"} 2',
      'took_bucket{c="x",le="1"} 3',
      'took_bucket{c="x",le="+Inf"} 4',
      'took_sum{c="x"} 7.65',
      'took_count{c="x"} 4',
    ])
  })

  it('share a metric that is registered twice, and reject another type or other labels', () => {
    const metrics = new Metrics()
    const define = { name: 'shared_total', help: 'h', labels: ['a'] } as const
    metrics.counter(define).add({ a: '1' })
    metrics.counter(define).add({ a: '1' })
    expect(metrics.text()).toContain('shared_total{a="1"} 2')
    expect(() => metrics.gauge(define)).toThrow('already registered')
    expect(() => metrics.counter({ ...define, labels: ['b'] })).toThrow('already registered')
  })

  it('remove series', () => {
    const metrics = new Metrics()
    const nodes = metrics.gauge({ name: 'node', help: 'h', labels: ['name'] })
    nodes.set({ name: 'a' }, 1)
    nodes.set({ name: 'b' }, 1)
    nodes.forget({ name: 'a' })
    expect(metrics.text()).not.toContain('name="a"')
    expect(metrics.text()).toContain('name="b"')
    nodes.clear()
    expect(metrics.text()).not.toContain('name=')
  })
})
