import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
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
  type: 'phase',
  phase: name,
  to: 'b',
  reboots: true,
})

describe('conditions of a MachineConfigNode', () => {
  it('include every phase from the first report on', () => {
    const first = after({ type: 'due', to: 'b' })
    expect(first).toHaveLength(12)
    expect(first.find(({ type }) => type === 'Drained')).toEqual({
      type: 'Drained',
      status: 'False',
      reason: 'NotYetOccurred',
      message: 'This node has not yet entered the Drained phase',
      lastTransitionTime: now,
    })
  })

  it('follow an update with a reboot', () => {
    const steps: readonly (readonly [Milestone, Record<string, string>])[] = [
      [
        { type: 'due', to: 'b' },
        { Updated: 'False', UpdatePrepared: 'False' },
      ],
      [
        { type: 'prepared', plan: made },
        { UpdatePrepared: 'True', UpdateExecuted: 'False' },
      ],
      [phase('files'), { UpdateExecuted: 'Unknown', AppliedFilesAndOS: 'Unknown' }],
      [phase('os'), { UpdateExecuted: 'Unknown', AppliedFilesAndOS: 'Unknown' }],
      [phase('actions'), { AppliedFilesAndOS: 'True', UpdatePostActionComplete: 'Unknown' }],
      [phase('rebooting'), { RebootedNode: 'Unknown' }],
      [
        { type: 'rebooted', to: 'b', reason: 'why' },
        { RebootedNode: 'True', UpdatePostActionComplete: 'True' },
      ],
      [
        { type: 'resumed', config: 'b' },
        { Resumed: 'True', RebootedNode: 'True' },
      ],
      [
        { type: 'updated', config: 'b' },
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

  it('keep their transition times when the update is complete', () => {
    const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`
    const rebooted = { type: 'rebooted', to: 'b', reason: 'why' } as const
    const during = conditionsAfter(undefined, rebooted, at(1))
    const over = conditionsAfter(during, { type: 'updated', config: 'b' }, at(5))
    const time = (type: string) => over.find((each) => each.type === type)?.lastTransitionTime
    expect(status(over)).toMatchObject({ RebootedNode: 'False', UpdateExecuted: 'False' })
    expect(time('RebootedNode')).toBe(at(1))
    expect(time('UpdateExecuted')).toBe(at(1))
    expect(time('Updated')).toBe(at(5))
  })

  it('report the drift of a node', () => {
    const reason = 'unexpected on-disk state validating against a: /etc/motd is not there'
    const drifted = conditionsAfter(undefined, { type: 'degraded', reason }, '2026-01-01T00:00:00Z')
    expect(drifted.find(({ type }) => type === 'NodeDegraded')).toMatchObject({
      status: 'True',
      reason: 'Drifted',
      message: reason,
    })
  })

  it('report a failure until it is resolved', () => {
    const bad = after({ type: 'degraded', reason: 'no space' })
    expect(bad.find(({ type }) => type === 'NodeDegraded')).toMatchObject({
      status: 'True',
      message: 'no space',
    })
    const good = conditionsAfter(bad, { type: 'updated', config: 'b' }, later)
    expect(status(good)).toMatchObject({ NodeDegraded: 'False', Updated: 'True' })
  })

  it('of other writers stay', () => {
    const types = ['PinnedImageSetsProgressing', 'machinist.dev/PinnedImageSetsSeen']
    const theirs = types.map(
      (type) => ({ type, status: 'True', reason: 'x', message: 'y' }) as const,
    )
    const both = conditionsAfter(theirs, { type: 'updated', config: 'b' }, now)
    expect(both).toEqual(expect.arrayContaining(theirs))
  })

  it('stay the same list without a change', () => {
    const milestone: Milestone = { type: 'updated', config: 'b' }
    const first = after(milestone)
    // UpdateComplete becomes True and False again each time.
    expect(conditionsAfter(first, milestone, now)).toEqual(first)
  })

  it('are valid in the API for any order of reports', () => {
    const any = fc.constantFrom<Milestone>(
      { type: 'due', to: 'b' },
      { type: 'prepared', plan: made },
      { type: 'refused', to: 'b', reason: 'x' },
      phase('files'),
      phase('actions'),
      phase('rebooting'),
      { type: 'acted', to: 'b' },
      { type: 'rebooted', to: 'b', reason: 'x' },
      { type: 'resumed', config: 'b' },
      { type: 'updated', config: 'b' },
      { type: 'degraded', reason: 'x' },
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
