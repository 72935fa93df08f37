import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/resource'
import { conditionsAfter } from '../../../../src/daemon/report/conditions.ts'
import type { Milestone } from '../../../../src/daemon/report/milestone.ts'
import { plan } from '../../../../src/planner/plan.ts'
import { config, facts } from '../follow/facts.ts'

const now = '2026-01-01T00:00:00Z'
const later = '2026-01-01T01:00:00Z'

const made = plan({
  current: config('a'),
  desired: config('b'),
  rules: '4.16',
  facts: { ...facts().machine, forced: false, drains: true },
})

function after(...milestones: readonly Milestone[]): readonly Condition[] {
  return milestones.reduce<readonly Condition[]>((so, next) => conditionsAfter(so, next, now), [])
}

const status = (conditions: readonly Condition[]): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status: is }) => [type, is]))

const phase = (name: 'files' | 'os' | 'actions' | 'rebooting'): Milestone => ({
  at: 'phase',
  phase: name,
  to: 'b',
  reboots: true,
})

describe('conditions of a MachineConfigNode', () => {
  it('tell of every phase from the first report on', () => {
    const first = after({ at: 'due', to: 'b' })
    expect(first).toHaveLength(12)
    expect(first.find(({ type }) => type === 'Drained')).toEqual({
      type: 'Drained',
      status: 'False',
      reason: 'NotYetOccurred',
      message: 'This node has not yet entered the Drained phase',
      lastTransitionTime: now,
    })
  })

  it('go the way of an update with a reboot', () => {
    const steps: readonly (readonly [Milestone, Record<string, string>])[] = [
      [
        { at: 'due', to: 'b' },
        { Updated: 'False', UpdatePrepared: 'False' },
      ],
      [
        { at: 'prepared', plan: made },
        { UpdatePrepared: 'True', UpdateExecuted: 'False' },
      ],
      [phase('files'), { UpdateExecuted: 'Unknown', AppliedFilesAndOS: 'Unknown' }],
      [phase('os'), { UpdateExecuted: 'Unknown', AppliedFilesAndOS: 'Unknown' }],
      [phase('actions'), { AppliedFilesAndOS: 'True', UpdatePostActionComplete: 'Unknown' }],
      [phase('rebooting'), { RebootedNode: 'Unknown' }],
      [
        { at: 'rebooted', to: 'b', reason: 'why' },
        { RebootedNode: 'True', UpdatePostActionComplete: 'True' },
      ],
      [
        { at: 'resumed', config: 'b' },
        { Resumed: 'True', RebootedNode: 'True' },
      ],
      [
        { at: 'updated', config: 'b' },
        {
          Updated: 'True',
          RebootedNode: 'False',
          Resumed: 'False',
          UpdateExecuted: 'False',
          UpdateComplete: 'False',
        },
      ],
    ]
    let conditions: readonly Condition[] = []
    for (const [milestone, expected] of steps) {
      conditions = conditionsAfter(conditions, milestone, now)
      expect(status(conditions)).toMatchObject(expected)
    }
    expect(conditions.find(({ type }) => type === 'RebootedNode')?.message).toBe(
      'Action during update to b: Node has rebooted: why',
    )
  })

  it('keep the times of what happened when the update is over', () => {
    const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`
    const rebooted = { at: 'rebooted', to: 'b', reason: 'why' } as const
    const during = conditionsAfter(undefined, rebooted, at(1))
    const over = conditionsAfter(during, { at: 'updated', config: 'b' }, at(5))
    const time = (type: string) => over.find((each) => each.type === type)?.lastTransitionTime
    expect(status(over)).toMatchObject({ RebootedNode: 'False', UpdateExecuted: 'False' })
    expect(time('RebootedNode')).toBe(at(1))
    expect(time('UpdateExecuted')).toBe(at(1))
    expect(time('Updated')).toBe(at(5))
  })

  it('call a node whose files were changed drifted', () => {
    const reason = 'unexpected on-disk state validating against a: /etc/motd is not there'
    const drifted = conditionsAfter(undefined, { at: 'degraded', reason }, '2026-01-01T00:00:00Z')
    expect(drifted.find(({ type }) => type === 'NodeDegraded')).toMatchObject({
      status: 'True',
      reason: 'Drifted',
      message: reason,
    })
  })

  it('say what is wrong, until it is not', () => {
    const bad = after({ at: 'degraded', reason: 'no space' })
    expect(bad.find(({ type }) => type === 'NodeDegraded')).toMatchObject({
      status: 'True',
      message: 'no space',
    })
    const good = conditionsAfter(bad, { at: 'updated', config: 'b' }, later)
    expect(status(good)).toMatchObject({ NodeDegraded: 'False', Updated: 'True' })
  })

  it('leave alone what others write', () => {
    const types = ['PinnedImageSetsProgressing', 'machinist.dev/PinnedImageSetsSeen']
    const theirs = types.map(
      (type) => ({ type, status: 'True', reason: 'x', message: 'y' }) as const,
    )
    const both = conditionsAfter(theirs, { at: 'updated', config: 'b' }, now)
    expect(both).toEqual(expect.arrayContaining(theirs))
  })

  it('stay the very same list when nothing is new', () => {
    const milestone: Milestone = { at: 'updated', config: 'b' }
    const first = after(milestone)
    // UpdateComplete is told and closed again each time.
    expect(conditionsAfter(first, milestone, now)).toEqual(first)
  })

  it('are what the API takes, whatever the order', () => {
    const any = fc.constantFrom<Milestone>(
      { at: 'due', to: 'b' },
      { at: 'prepared', plan: made },
      { at: 'refused', to: 'b', reason: 'x' },
      phase('files'),
      phase('actions'),
      phase('rebooting'),
      { at: 'acted', to: 'b' },
      { at: 'rebooted', to: 'b', reason: 'x' },
      { at: 'resumed', config: 'b' },
      { at: 'updated', config: 'b' },
      { at: 'degraded', reason: 'x' },
    )
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 12 }), (milestones) => {
        const conditions = after(...milestones)
        const types = conditions.map(({ type }) => type)
        expect(new Set(types).size).toBe(types.length)
        expect(types.length).toBeLessThanOrEqual(20)
        for (const { reason = '', message } of conditions) {
          expect(reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
          expect(message).not.toBe('')
        }
      }),
      { numRuns: 200 },
    )
  })
})
