import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/tls'
import { writeScene } from '../write-scene.fixture.ts'
import type { ApiObject } from '../kind-rules.ts'
import { certificateRequestRules as rules } from './certificate-request.ts'

const noon = '2030-01-02T12:00:00Z'
const approved = { type: 'Approved', status: 'True', reason: 'r' }

const request = (status: object = {}, spec: object = {}): ApiObject => ({
  metadata: { name: 'r' },
  spec,
  status: structuredClone(status),
})

/** As an update through a door leaves the object, and what is said about it. */
function changed(
  subresource: string,
  before: ApiObject,
  after: ApiObject,
): { object: ApiObject; said: string[] } {
  const scene = writeScene({ subresource })
  rules.keep?.(after, before, scene)
  rules.complete?.(after)
  const causes = rules.validate?.(after, before, scene) ?? []
  return { object: after, said: causes.map(({ field, message }) => `${field}: ${message}`) }
}

const conditionsOf = ({ status }: ApiObject): unknown =>
  (status as { conditions?: unknown }).conditions

describe('a signing request', () => {
  it('is asked for by whoever asks', () => {
    const sent = request(
      { certificate: 'x' },
      { username: 'other', groups: ['g'], extra: {}, uid: 'u' },
    )
    const user = { username: 'jane', groups: ['a'], extra: { scopes: ['view'] } }
    rules.begin?.(sent, writeScene({ user }))
    expect(sent['spec']).toEqual({ username: 'jane', groups: ['a'], extra: { scopes: ['view'] } })
    expect(sent['status']).toEqual({})
  })

  it('of the server itself is nobody’s', () => {
    const sent = request({}, { username: 'other' })
    rules.begin?.(sent, writeScene({ user: undefined }))
    expect(sent['spec']).toEqual({})
  })

  it('keeps what it asks for, through every door', () => {
    for (const door of ['approval', 'status']) {
      const { object } = changed(door, request({}, { a: 1 }), request({}, { a: 2 }))
      expect(object['spec']).toEqual({ a: 1 })
    }
  })

  it('gets the times of its conditions, and keeps the time of a change', () => {
    const { object, said } = changed('approval', request(), request({ conditions: [approved] }))
    expect(said).toEqual([])
    const timed = { ...approved, lastUpdateTime: noon, lastTransitionTime: noon }
    expect(conditionsOf(object)).toEqual([timed])
    const old = { ...approved, lastUpdateTime: 'before', lastTransitionTime: 'before' }
    const again = changed(
      'approval',
      request({ conditions: [old] }),
      request({ conditions: [approved] }),
    )
    expect(conditionsOf(again.object)).toEqual([{ ...timed, lastTransitionTime: 'before' }])
  })

  it('is decided through approval only', () => {
    const times = { lastUpdateTime: noon, lastTransitionTime: noon }
    const before = request({ conditions: [{ ...approved, ...times }] })
    expect(changed('status', request(), request({ conditions: [approved] })).said).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ])
    const other = { ...approved, reason: 'other' }
    const kept = changed('status', before, request({ conditions: [other] }))
    expect(kept.said).toEqual([])
    expect(conditionsOf(kept.object)).toMatchObject([approved])
    expect(changed('approval', before, request({ conditions: [] })).said).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ])
  })

  it('gets its certificate once, on /status', () => {
    const issued = (): string => Buffer.from(createAuthority('x').certificate).toString('base64')
    const certificate = issued()
    const before = request({ certificate })
    expect(changed('status', request(), request({ certificate })).said).toEqual([])
    expect(changed('approval', request(), request({ certificate })).said).toEqual([
      'status.certificate: Forbidden: updates may not set certificate content',
    ])
    expect(changed('status', before, request({ certificate: issued() })).said).toEqual([
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ])
    expect(changed('status', before, request({ certificate })).said).toEqual([])
  })

  it('says all that is missing', () => {
    const causes = rules.validate?.(request(), undefined, writeScene()) ?? []
    expect(causes.map(({ field }) => field)).toEqual([
      'spec.request',
      'spec.usages',
      'spec.signerName',
    ])
  })
})
