import { describe, expect, it } from 'vitest'
import { groupingsIn, selectorsIn } from './promql.ts'
import { metricsIn } from './published-metrics.ts'

describe('the selectors of an expression', () => {
  it.for([
    ['up', ['up']],
    ['max by (item) (lag_seconds) > 30 * 60', ['lag_seconds']],
    ['absent(status{name="machine-config"} == 1)', ['status name']],
    ['changes(max by (a) (n{kind="signer", of!~"x|y"})[1w:1h]) == 0', ['n kind,of']],
    ['sum(rate(x_total[5m])) / on (pod) group_left sum(y) or vector(0)', ['x_total', 'y']],
    [
      'a and on (instance) label_replace(b{role="m"}, "instance", "$1", "node", "(.+)")',
      ['a', 'b role'],
    ],
    ['time() - x > 1e9 offset 5m', ['x']],
    ['sum by (le, name) (rate(d_bucket[$__rate_interval]))', ['d_bucket']],
  ] as const)('%s', ([expression, asked]) => {
    const found = selectorsIn(expression).map(({ metric, by }) => `${metric} ${by.join()}`.trim())
    expect(found).toEqual(asked)
  })

  it('groupings have their labels and metrics', () => {
    expect(groupingsIn('max by (a, b) (x{c="("}) + sum by (c) (rate(y[5m]) - z) > 1')).toEqual([
      { labels: ['a', 'b'], metrics: ['x'] },
      { labels: ['c'], metrics: ['y', 'z'] },
    ])
  })
})

describe('the metrics that code declares', () => {
  it('are read from their declarations', () => {
    const code = `
      const labels = ['pool'] as const
      const a = metrics.gauge({ name: 'a', help: 'h', labels })
      options.metrics.histogram({ name: 'b', help: 'h', labels: ['x', 'y'], buckets: [1] })
      this.#metrics.counter({ name: 'c', help: 'h' })`
    expect(metricsIn('x.ts', code)).toEqual([
      { name: 'a', kind: 'gauge', labels: ['pool'], path: 'x.ts' },
      { name: 'b', kind: 'histogram', labels: ['x', 'y'], path: 'x.ts' },
      { name: 'c', kind: 'counter', labels: [], path: 'x.ts' },
    ])
  })

  it('must have literal names and labels', () => {
    const code = 'metrics.gauge({ name: `a_${b}`, help: "h" })'
    expect(() => metricsIn('x.ts', code)).toThrow('x.ts: a metric whose name and labels cannot be')
  })
})
