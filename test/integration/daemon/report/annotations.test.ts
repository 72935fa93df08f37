import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../../src/daemon/follow/decision.ts'
import {
  annotationsFor,
  cutReason,
  isNewFailure,
} from '../../../../src/daemon/report/annotations.ts'
import { node } from '../follow/facts.ts'

const decision = (next: Decision['next'], report?: Decision['report']): Decision => ({
  policy: 'x',
  why: 'y',
  next,
  ...(report && { report }),
})

const done = (image?: string): Decision =>
  decision(
    { do: 'done' },
    {
      state: 'Done',
      reason: '',
      current: { config: 'b', ...(image !== undefined && { image }) },
    },
  )

describe('annotations', () => {
  it('of Done name what is on disk, and clear the reason', () => {
    const before = node({ current: 'a', desired: 'b', state: 'Working', reason: 'no space' })
    expect(annotationsFor(done(), before)).toEqual({
      'machineconfiguration.openshift.io/state': 'Done',
      'machineconfiguration.openshift.io/currentConfig': 'b',
      'machineconfiguration.openshift.io/reason': '',
    })
  })

  it('of a node that stays as it is desire what is on disk', () => {
    const before = node({ current: 'a', desired: 'a', state: 'Done', desiredImage: 'i1' })
    expect(annotationsFor(decision({ do: 'stay', config: 'b' }), before)).toEqual({
      'machineconfiguration.openshift.io/currentConfig': 'b',
      'machineconfiguration.openshift.io/desiredConfig': 'b',
      'machineconfiguration.openshift.io/desiredImage': null,
    })
    expect(annotationsFor(decision({ do: 'stay', config: 'a', image: 'i2' }), before)).toEqual({
      'machineconfiguration.openshift.io/currentImage': 'i2',
      'machineconfiguration.openshift.io/desiredImage': 'i2',
    })
  })

  it('are not written when they say so already', () => {
    const before = node({ current: 'b', desired: 'b', state: 'Done', reason: '' })
    expect(annotationsFor(done(), before)).toEqual({})
  })

  it('of images come and go with the image', () => {
    const layered = node({
      current: 'b',
      state: 'Done',
      reason: '',
      currentImage: 'i1',
      desiredImage: '',
    })
    expect(annotationsFor(done(), layered)).toEqual({
      'machineconfiguration.openshift.io/currentImage': null,
      'machineconfiguration.openshift.io/desiredImage': null,
    })
    expect(annotationsFor(done('i2'), node({ current: 'b', state: 'Done', reason: '' }))).toEqual({
      'machineconfiguration.openshift.io/currentImage': 'i2',
    })
  })

  it('of Working keep the reason of the attempt before', () => {
    const before = node({ state: 'Degraded', reason: 'no space' })
    expect(
      annotationsFor(
        decision({ do: 'verify', config: { metadata: { name: 'a' } } }, { state: 'Working' }),
        before,
      ),
    ).toEqual({
      'machineconfiguration.openshift.io/state': 'Working',
    })
  })

  it('of a drain come in one write with the state', () => {
    const next = { do: 'requestDrain', value: 'drain-b' } as const
    expect(annotationsFor(decision(next, { state: 'Working' }), node({ state: 'Done' }))).toEqual({
      'machineconfiguration.openshift.io/state': 'Working',
      'machineconfiguration.openshift.io/desiredDrain': 'drain-b',
    })
  })

  it('no longer say Rebooting afterwards', () => {
    const more = { 'machineconfiguration.openshift.io/post-config-action': 'Rebooting' }
    expect(annotationsFor(decision({ do: 'wait' }), node({ more }))).toEqual({
      'machineconfiguration.openshift.io/post-config-action': '',
    })
  })

  it('tell why the staged OS did not boot, until one did', () => {
    const key = 'machineconfiguration.openshift.io/ostree-finalize-staged-failure'
    const wait = decision({ do: 'wait' })
    const before = node({})
    expect(annotationsFor(wait, before)).toEqual({})
    expect(annotationsFor(wait, before, 'error: no space')).toEqual({ [key]: 'error: no space' })
    expect(isNewFailure(before, 'error: no space')).toBe(true)
    const told = node({ more: { [key]: 'error: no space' } })
    expect(annotationsFor(wait, told, 'error: no space')).toEqual({})
    expect(isNewFailure(told, 'error: no space')).toBe(false)
    expect(annotationsFor(wait, told)).toEqual({ [key]: '' })
    expect(annotationsFor(wait, node({ more: { [key]: '' } }))).toEqual({})
    expect(annotationsFor(wait, before, 'x'.repeat(3000))).toEqual({ [key]: 'x'.repeat(2000) })
    expect(isNewFailure(node({ more: { [key]: 'x'.repeat(2000) } }), 'x'.repeat(3000))).toBe(false)
  })

  it('cut a reason after 2000 characters, not in the middle of one', () => {
    expect(cutReason('x'.repeat(2000))).toHaveLength(2000)
    expect(cutReason('x'.repeat(3000))).toHaveLength(2000)
    const wide = cutReason('😀'.repeat(2001))
    expect(Array.from(wide)).toHaveLength(2000)
    expect(wide.endsWith('😀')).toBe(true)
  })
})
