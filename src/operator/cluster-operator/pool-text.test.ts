import { describe, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/resources.ts'
import { poolText } from './pool-text.ts'

const pool = (
  holds: readonly string[],
  status: NonNullable<MachineConfigPool['status']> = {},
): MachineConfigPool => ({
  metadata: { name: 'worker' },
  spec: { configuration: { name: 'rendered-worker-2' } },
  status: {
    machineCount: 5,
    updatedMachineCount: 2,
    readyMachineCount: 1,
    configuration: { name: 'rendered-worker-1' },
    conditions: holds.map((type) => ({ type, status: 'True', reason: 'Why', message: 'because' })),
    ...status,
  },
})

describe('how a pool is', () => {
  it.each([
    ['RenderDegraded', 'degraded, it cannot be rendered: Why: because'],
    ['NodeDegraded', 'degraded, nodes fail: Why: because'],
    ['Updated', 'all 5 nodes are at latest configuration rendered-worker-1'],
    [
      'Updating',
      '2 (ready 1) out of 5 nodes are updating to latest configuration rendered-worker-2',
    ],
    ['PinnedImageSetsDegraded', 'degraded, image sets cannot be pinned: Why: because'],
    ['Degraded', '<unknown>'],
  ])('%s', (type, text) => {
    expect(poolText(pool([type]))).toBe(text)
  })

  it('is told by what weighs most', () => {
    const all = ['PinnedImageSetsDegraded', 'Updating', 'Updated', 'NodeDegraded', 'RenderDegraded']
    const told = all.map((_, i) => poolText(pool(all.slice(0, i + 1))).slice(0, 20))
    expect(told).toEqual([
      'degraded, image sets',
      '2 (ready 1) out of 5',
      'all 5 nodes are at l',
      'degraded, nodes fail',
      'degraded, it cannot ',
    ])
  })

  it('is not known before anybody looked', () => {
    expect(poolText({ metadata: { name: 'worker' }, spec: {} })).toBe('<unknown>')
    const conditions = [{ type: 'NodeDegraded', status: 'True' as const }]
    expect(poolText(pool([], { conditions }))).toBe('degraded, nodes fail: no reason is given')
  })
})
