import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { isReplayedEvent, isOlder, isSameState, laterVersion } from './version-order.ts'

const at = (resourceVersion: string, uid = 'u1'): KubeObject => ({
  metadata: { name: 'a', uid, resourceVersion },
})

describe('the order of versions', () => {
  it('is numeric, even beyond safe integers', () => {
    expect(isOlder('9', '10')).toBe(true)
    expect(isOlder('10', '9')).toBe(false)
    expect(isOlder('10', '10')).toBe(false)
    expect(isOlder('90071992547409930', '90071992547409931')).toBe(true)
  })

  it('equals that of big integers', () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 70n })
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(isOlder(String(a), String(b))).toBe(a < b)
      }),
    )
  })

  it('is unknown for other versions', () => {
    expect(isOlder('abc', '10')).toBeUndefined()
    expect(isOlder('1', 'v2')).toBeUndefined()
    expect(isOlder('007', '10')).toBeUndefined()
    expect(isOlder(undefined, '10')).toBeUndefined()
    expect(isOlder('10', undefined)).toBeUndefined()
  })

  it('never decreases', () => {
    expect(laterVersion('7', '9')).toBe('9')
    expect(laterVersion('9', '7')).toBe('9')
    expect(laterVersion('9', undefined)).toBe('9')
    expect(laterVersion('9', '')).toBe('9')
    expect(laterVersion('x', 'y')).toBe('y')
  })
})

describe('a replayed event', () => {
  it('is older than the stored object', () => {
    expect(isReplayedEvent({ type: 'MODIFIED', object: at('5') }, at('7'), '9')).toBe(true)
    expect(isReplayedEvent({ type: 'DELETED', object: at('5') }, at('7'), '9')).toBe(true)
  })

  it('has the same state', () => {
    expect(isReplayedEvent({ type: 'ADDED', object: at('7') }, at('7'), '9')).toBe(true)
    expect(isReplayedEvent({ type: 'ADDED', object: at('7', 'other') }, at('7'), '7')).toBe(false)
  })

  it('is an old state of a deleted object', () => {
    expect(isReplayedEvent({ type: 'ADDED', object: at('5') }, undefined, '9')).toBe(true)
    expect(isReplayedEvent({ type: 'DELETED', object: at('12') }, undefined, '9')).toBe(true)
  })

  it('is not a deletion with the version of the last state', () => {
    expect(isReplayedEvent({ type: 'DELETED', object: at('7') }, at('7'), '9')).toBe(false)
  })

  it('is not a newer state', () => {
    expect(isReplayedEvent({ type: 'ADDED', object: at('10') }, undefined, '9')).toBe(false)
    expect(isReplayedEvent({ type: 'MODIFIED', object: at('10') }, at('7'), '9')).toBe(false)
    expect(isReplayedEvent({ type: 'DELETED', object: at('10') }, at('7'), '9')).toBe(false)
  })

  it('cannot be detected with opaque versions', () => {
    expect(isReplayedEvent({ type: 'MODIFIED', object: at('b') }, at('a'), 'z')).toBe(false)
    expect(isReplayedEvent({ type: 'ADDED', object: at('b') }, undefined, 'z')).toBe(false)
  })
})

describe('the same state', () => {
  it('requires the same UID and version', () => {
    expect(isSameState(at('1'), at('1'))).toBe(true)
    expect(isSameState(at('1'), at('2'))).toBe(false)
    expect(isSameState(at('1', 'a'), at('1', 'b'))).toBe(false)
    expect(isSameState({ metadata: { name: 'a' } }, { metadata: { name: 'a' } })).toBe(false)
  })
})
