import { expect, it } from 'vitest'
import { byZoneThenAge } from './order.ts'
import { facts } from './scene.fixture.ts'

it('orders nodes by zone, and within a zone from old to new', () => {
  const sketches = [
    { zone: 'ZZZ', createdAt: '2026-01-03T00:00:00Z' },
    { createdAt: '2026-01-02T00:00:00Z' },
    { zone: 'RRR', createdAt: '2026-01-02T00:00:00Z' },
    { zone: 'ZZZ', createdAt: '2026-01-01T00:00:00Z' },
    { createdAt: '2026-01-01T00:00:00Z' },
    { zone: 'QQQ', createdAt: '2026-01-09T00:00:00Z' },
    { zone: 'ZZZ', createdAt: '2026-01-02T00:00:00Z' },
    { zone: 'RRR', createdAt: '2026-01-01T00:00:00Z' },
    { createdAt: '2026-01-03T00:00:00Z' },
  ]
  const { nodes } = facts({}, sketches)
  const sorted = nodes.toSorted(byZoneThenAge).map(({ name }) => name.slice(5))
  expect(sorted.join(' ')).toBe('5 7 2 3 6 0 4 1 8')
})
