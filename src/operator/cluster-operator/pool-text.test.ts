import { describe, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
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

describe('the state of a pool', () => {
  it.each([
    ['RenderDegraded', 'degraded, rendering fails: Why: because'],
    ['NodeDegraded', 'degraded, nodes fail: Why: because'],
    ['Updated', 'all 5 nodes are at latest configuration rendered-worker-1'],
    [
      'Updating',
      '2 (ready 1) out of 5 nodes are updating to latest configuration rendered-worker-2',
    ],
    ['PinnedImageSetsDegraded', 'degraded, pinning image sets fails: Why: because'],
    ['Degraded', '<unknown>'],
  ])('%s', (type, text) => {
    expect(poolText(pool([type]))).toBe(text)
  })

  it('is that of the most important condition', () => {
    const all = ['PinnedImageSetsDegraded', 'Updating', 'Updated', 'NodeDegraded', 'RenderDegraded']
    const texts = all.map((_, i) => poolText(pool(all.slice(0, i + 1))).slice(0, 20))
    expect(texts).toEqual([
      'degraded, pinning im',
      '2 (ready 1) out of 5',
      'all 5 nodes are at l',
      'degraded, nodes fail',
      'degraded, rendering ',
    ])
  })

  it('is unknown without conditions', () => {
    expect(poolText({ metadata: { name: 'worker' }, spec: {} })).toBe('<unknown>')
    const conditions = [{ type: 'NodeDegraded', status: 'True' as const }]
    expect(poolText(pool([], { conditions }))).toBe('degraded, nodes fail: no reason reported')
  })
})
