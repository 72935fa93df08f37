import { describe, expect, it } from 'vitest'
import type { NodeSketch } from '../drain/objects.fixture.ts'
import { nodeWith } from '../drain/objects.fixture.ts'
import { defaultSettings } from '../drain/settings.ts'
import { decide } from './decide.ts'

const keeping = { ...defaultSettings, keepCordoned: true }
const cordonedBefore =
  '{"request":"drain-x","since":"2026-03-01T12:00:00.000Z","cordonedBefore":true}'
const requested: NodeSketch = { desired: 'uncordon-x', lastApplied: 'drain-x', unschedulable: true }

const nextOf = (sketch: NodeSketch, settings = defaultSettings) =>
  decide({ node: nodeWith(sketch), settings }).next

describe('the next step of an uncordon', () => {
  it.each<[string, NodeSketch]>([
    ['nothing is requested', { unschedulable: true }],
    ['a drain is requested', { desired: 'drain-x', unschedulable: true }],
    [
      'it is acknowledged',
      { desired: 'uncordon-x', lastApplied: 'uncordon-x', unschedulable: true },
    ],
    ['the request has another verb', { desired: 'foo-x', unschedulable: true }],
  ])('is nothing if %s', (_, sketch) => {
    expect(nextOf(sketch)).toEqual({ action: 'nothing' })
  })

  it('is to fail if the settings could not be read', () => {
    const readFailure = new Error('no')
    const facts = { node: nodeWith(requested), settings: defaultSettings, readFailure }
    expect(decide(facts)).toEqual({
      check: 'everything could be read',
      why: 'the settings could not be read',
      next: { action: 'fail', failure: readFailure },
    })
    expect(decide({ ...facts, node: nodeWith({}) }).next).toEqual({ action: 'nothing' })
  })

  it('is to uncordon, and then to acknowledge', () => {
    expect(nextOf({ ...requested, lastApplied: '' })).toEqual({ action: 'uncordon' })
    expect(nextOf({ ...requested, unschedulable: false })).toEqual({
      action: 'acknowledge',
      value: 'uncordon-x',
    })
  })

  it('is to uncordon even if a user had cordoned the node, as in MCO', () => {
    expect(nextOf({ ...requested, record: cordonedBefore })).toEqual({ action: 'uncordon' })
  })

  it('is to keep that cordon if the DrainPolicy sets keepCordoned', () => {
    const kept = { action: 'acknowledge', value: 'uncordon-x', cordonKept: true }
    expect(nextOf({ ...requested, record: cordonedBefore }, keeping)).toEqual(kept)
  })

  it('is to uncordon a node that the drain cordoned, regardless of keepCordoned', () => {
    const ours = cordonedBefore.replace(',"cordonedBefore":true', '')
    expect(nextOf({ ...requested, record: ours }, keeping)).toEqual({ action: 'uncordon' })
  })
})
