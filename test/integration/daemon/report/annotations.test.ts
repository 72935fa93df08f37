import { describe, expect, it } from 'vitest'
import type { FollowDecision } from '../../../../src/daemon/follow/decide/decision.ts'
import {
  annotationsFor,
  cutReason,
  isNewFailure,
} from '../../../../src/daemon/report/annotations.ts'
import { node } from '../follow/facts.ts'

const decision = (
  next: FollowDecision['next'],
  report?: FollowDecision['report'],
): FollowDecision => ({
  check: 'x',
  why: 'y',
  next,
  ...(report && { report }),
})

const done = (image?: string): FollowDecision =>
  decision(
    { action: 'done' },
    {
      state: 'Done',
      reason: '',
      current: { config: 'b', ...(image !== undefined && { image }) },
    },
  )

describe('annotations', () => {
  it('of Done name the config on disk, and clear the reason', () => {
    const before = node({ current: 'a', desired: 'b', state: 'Working', reason: 'no space' })
    expect(annotationsFor(done(), before)).toEqual({
      'machineconfiguration.openshift.io/state': 'Done',
      'machineconfiguration.openshift.io/currentConfig': 'b',
      'machineconfiguration.openshift.io/reason': '',
    })
  })

  it('of a node that keeps its config desire the config on disk', () => {
    const before = node({ current: 'a', desired: 'a', state: 'Done', desiredImage: 'i1' })
    expect(annotationsFor(decision({ action: 'stay', config: 'b' }), before)).toEqual({
      'machineconfiguration.openshift.io/currentConfig': 'b',
      'machineconfiguration.openshift.io/desiredConfig': 'b',
      'machineconfiguration.openshift.io/desiredImage': null,
    })
    expect(annotationsFor(decision({ action: 'stay', config: 'a', image: 'i2' }), before)).toEqual({
      'machineconfiguration.openshift.io/currentImage': 'i2',
      'machineconfiguration.openshift.io/desiredImage': 'i2',
    })
  })

  it('are not written without a change', () => {
    const before = node({ current: 'b', desired: 'b', state: 'Done', reason: '' })
    expect(annotationsFor(done(), before)).toEqual({})
  })

  it('of images are added and removed with the image', () => {
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

  it('of Working keep the reason of the last attempt', () => {
    const before = node({ state: 'Degraded', reason: 'no space' })
    expect(
      annotationsFor(
        decision({ action: 'verify', config: { metadata: { name: 'a' } } }, { state: 'Working' }),
        before,
      ),
    ).toEqual({
      'machineconfiguration.openshift.io/state': 'Working',
    })
  })

  it('of a drain are written together with the state', () => {
    const next = { action: 'requestDrain', value: 'drain-b' } as const
    expect(annotationsFor(decision(next, { state: 'Working' }), node({ state: 'Done' }))).toEqual({
      'machineconfiguration.openshift.io/state': 'Working',
      'machineconfiguration.openshift.io/desiredDrain': 'drain-b',
    })
  })

  it('do not contain Rebooting after the reboot', () => {
    const more = { 'machineconfiguration.openshift.io/post-config-action': 'Rebooting' }
    expect(annotationsFor(decision({ action: 'wait' }), node({ more }))).toEqual({
      'machineconfiguration.openshift.io/post-config-action': '',
    })
  })

  it('contain why the staged OS did not boot, until an OS boots', () => {
    const key = 'machineconfiguration.openshift.io/ostree-finalize-staged-failure'
    const wait = decision({ action: 'wait' })
    const before = node({})
    expect(annotationsFor(wait, before)).toEqual({})
    expect(annotationsFor(wait, before, 'error: no space')).toEqual({ [key]: 'error: no space' })
    expect(isNewFailure(before, 'error: no space')).toBe(true)
    const reported = node({ more: { [key]: 'error: no space' } })
    expect(annotationsFor(wait, reported, 'error: no space')).toEqual({})
    expect(isNewFailure(reported, 'error: no space')).toBe(false)
    expect(annotationsFor(wait, reported)).toEqual({ [key]: '' })
    expect(annotationsFor(wait, node({ more: { [key]: '' } }))).toEqual({})
    expect(annotationsFor(wait, before, 'x'.repeat(3000))).toEqual({ [key]: 'x'.repeat(2000) })
    expect(isNewFailure(node({ more: { [key]: 'x'.repeat(2000) } }), 'x'.repeat(3000))).toBe(false)
  })

  it('cut a reason after 2000 characters, never inside a character', () => {
    expect(cutReason('x'.repeat(2000))).toHaveLength(2000)
    expect(cutReason('x'.repeat(3000))).toHaveLength(2000)
    const wide = cutReason('😀'.repeat(2001))
    expect(Array.from(wide)).toHaveLength(2000)
    expect(wide.endsWith('😀')).toBe(true)
  })
})
