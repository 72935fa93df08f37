import { describe, expect, it } from 'vitest'
import type { NodeSays } from './objects.fixture.ts'
import { nodeThat } from './objects.fixture.ts'
import { decideUncordon } from './decide-uncordon.ts'
import { defaultSettings } from './settings.ts'

const keeping = { ...defaultSettings, keepCordoned: true }
const cordonedBefore =
  '{"request":"drain-x","since":"2026-03-01T12:00:00.000Z","cordonedBefore":true}'
const asked: NodeSays = { desired: 'uncordon-x', lastApplied: 'drain-x', unschedulable: true }

const nextOf = (says: NodeSays, settings = defaultSettings) =>
  decideUncordon({ node: nodeThat(says), settings }).next

describe('what an uncordon does next', () => {
  it.each<[string, NodeSays]>([
    ['nothing is asked for', { unschedulable: true }],
    ['a drain is asked for', { desired: 'drain-x', unschedulable: true }],
    ['it is done', { desired: 'uncordon-x', lastApplied: 'uncordon-x', unschedulable: true }],
    ['the request has another verb', { desired: 'foo-x', unschedulable: true }],
  ])('is nothing when %s', (_, says) => {
    expect(nextOf(says)).toEqual({ do: 'nothing' })
  })

  it('is nothing when the node is gone', () => {
    const { policy, next } = decideUncordon({ node: undefined, settings: defaultSettings })
    expect([policy, next]).toEqual(['node exists', { do: 'nothing' }])
  })

  it('is to uncordon, and then to acknowledge', () => {
    expect(nextOf({ ...asked, lastApplied: '' })).toEqual({ do: 'uncordon' })
    expect(nextOf({ ...asked, unschedulable: false })).toEqual({
      do: 'acknowledge',
      value: 'uncordon-x',
    })
  })

  it('is to uncordon also what somebody else had cordoned, as the original does', () => {
    expect(nextOf({ ...asked, record: cordonedBefore })).toEqual({ do: 'uncordon' })
  })

  it('is to leave that cordoned where the policy says so', () => {
    const kept = { do: 'acknowledge', value: 'uncordon-x', cordonKept: true }
    expect(nextOf({ ...asked, record: cordonedBefore }, keeping)).toEqual(kept)
  })

  it('is to uncordon what we cordoned ourselves, whatever the policy says', () => {
    const ours = cordonedBefore.replace(',"cordonedBefore":true', '')
    expect(nextOf({ ...asked, record: ours }, keeping)).toEqual({ do: 'uncordon' })
  })
})
