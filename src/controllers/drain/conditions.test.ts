import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { DrainReport } from './conditions.ts'
import { conditionsAfter } from './conditions.ts'

const now = '2026-03-01T12:00:00Z'
const later = '2026-03-01T12:05:00Z'
const config = 'rendered-worker-1'
const blockers = [{ pod: 'shop/a', why: 'it must not', since: now }]
const draining = { type: 'draining', config, blockers: [], overdue: false } as const

const short = (conditions: readonly Condition[]): string[] =>
  conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`)

describe('the conditions of a MachineConfigNode', () => {
  it.each<[DrainReport, string[]]>([
    [
      { type: 'no turn', config, why: 'MachineConfigPool worker has not given this node a turn' },
      [
        'Drained=Unknown WaitingForTurn: Draining for rendered-worker-1 waits: MachineConfigPool worker has not given this node a turn',
      ],
    ],
    [
      { type: 'cordon failed', config, error: 'no' },
      ['Cordoned=Unknown Cordoned: Cordoning for rendered-worker-1. Error: no'],
    ],
    [
      draining,
      [
        'Cordoned=True Cordoned: Cordoned for rendered-worker-1',
        'Drained=Unknown Draining: Draining for rendered-worker-1',
      ],
    ],
    [
      { ...draining, blockers },
      [
        'Cordoned=True Cordoned: Cordoned for rendered-worker-1',
        'Drained=Unknown DrainBlocked: Draining for rendered-worker-1 is held up by 1 pod: shop/a: it must not (since 2026-03-01T12:00:00Z)',
      ],
    ],
    [
      { ...draining, overdue: true },
      [
        'Cordoned=True Cordoned: Cordoned for rendered-worker-1',
        'Drained=Unknown DrainFailed: Draining for rendered-worker-1',
      ],
    ],
    [
      { type: 'drain failed', config, error: 'no', blockers },
      [
        'Drained=Unknown Drained: Draining for rendered-worker-1 is held up by 1 pod: shop/a: it must not (since 2026-03-01T12:00:00Z). Error: no',
      ],
    ],
    [
      { type: 'drained', config },
      [
        'Cordoned=True Cordoned: Cordoned for rendered-worker-1',
        'Drained=True Drained: Drained for rendered-worker-1',
      ],
    ],
    [
      { type: 'uncordon failed', config, error: 'no' },
      ['Uncordoned=Unknown Uncordoned: Uncordoning after rendered-worker-1. Error: no'],
    ],
    [
      { type: 'uncordoned', config },
      ['Uncordoned=True Uncordoned: Uncordoned after rendered-worker-1'],
    ],
    [
      { type: 'cordon kept', config, why: 'it was so before' },
      ['Uncordoned=False CordonKept: it was so before'],
    ],
  ])('for $type', (report, expected) => {
    expect(short(conditionsAfter(undefined, report, now))).toEqual(expected)
  })

  it('stay the same list for the same report', () => {
    const first = conditionsAfter([], { ...draining, blockers }, now)
    expect(conditionsAfter(first, { ...draining, blockers }, later)).toBe(first)
    const second = conditionsAfter(first, { type: 'drained', config }, later)
    expect(second.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([now, later])
  })

  it('are no longer Uncordoned once the next drain begins', () => {
    const before = conditionsAfter(
      conditionsAfter([], { type: 'drained', config }, now),
      { type: 'uncordoned', config },
      now,
    )
    expect(short(before).at(-1)).toContain('Uncordoned=True')
    expect(short(conditionsAfter(before, draining, later)).at(-1)).toBe(
      'Uncordoned=False Uncordoned: Node is cordoned',
    )
  })

  it('keep the conditions of other components', () => {
    const others: Condition[] = [
      { type: 'Updated', status: 'False', reason: 'x', message: 'y', lastTransitionTime: now },
    ]
    expect(conditionsAfter(others, draining, later)[0]).toBe(others[0])
  })
})
