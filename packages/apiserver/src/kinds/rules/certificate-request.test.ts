import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { testWriteContext } from '../write-context.fixture.ts'
import type { ApiObject } from '../kind-rules.ts'
import { certificateRequestRules as rules } from './certificate-request.ts'

const noon = '2030-01-02T12:00:00Z'
const approved = { type: 'Approved', status: 'True', reason: 'r' }

const request = (status: object = {}, spec: object = {}): ApiObject => ({
  metadata: { name: 'r' },
  spec,
  status: structuredClone(status),
})

/** The object after an update through a subresource, and its causes. */
function changed(
  subresource: string,
  before: ApiObject,
  after: ApiObject,
): { object: ApiObject; reported: string[] } {
  const writeContext = testWriteContext({ subresource })
  rules.prepareForUpdate?.(after, before, writeContext)
  rules.complete?.(after)
  const causes = rules.validate?.(after, before, writeContext) ?? []
  return { object: after, reported: causes.map(({ field, message }) => `${field}: ${message}`) }
}

const conditionsOf = ({ status }: ApiObject): unknown =>
  (status as { conditions?: unknown }).conditions

describe('a signing request', () => {
  it('records the requesting user', () => {
    const sent = request(
      { certificate: 'x' },
      { username: 'other', groups: ['g'], extra: {}, uid: 'u' },
    )
    const user = { username: 'jane', groups: ['a'], extra: { scopes: ['view'] } }
    rules.prepareForCreate?.(sent, testWriteContext({ user }))
    expect(sent['spec']).toEqual({ username: 'jane', groups: ['a'], extra: { scopes: ['view'] } })
    expect(sent['status']).toEqual({})
  })

  it('of the server itself has no user', () => {
    const sent = request({}, { username: 'other' })
    rules.prepareForCreate?.(sent, testWriteContext({ user: undefined }))
    expect(sent['spec']).toEqual({})
  })

  it('has an immutable spec, through every subresource', () => {
    for (const door of ['approval', 'status']) {
      const { object } = changed(door, request({}, { a: 1 }), request({}, { a: 2 }))
      expect(object['spec']).toEqual({ a: 1 })
    }
  })

  it('sets condition times, and keeps lastTransitionTime', () => {
    const { object, reported } = changed('approval', request(), request({ conditions: [approved] }))
    expect(reported).toEqual([])
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

  it('is approved only through /approval', () => {
    const times = { lastUpdateTime: noon, lastTransitionTime: noon }
    const before = request({ conditions: [{ ...approved, ...times }] })
    expect(changed('status', request(), request({ conditions: [approved] })).reported).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ])
    const other = { ...approved, reason: 'other' }
    const kept = changed('status', before, request({ conditions: [other] }))
    expect(kept.reported).toEqual([])
    expect(conditionsOf(kept.object)).toMatchObject([approved])
    expect(changed('approval', before, request({ conditions: [] })).reported).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ])
  })

  it('gets its certificate once, through /status', () => {
    const issued = (): string => Buffer.from(createAuthority('x').certificate).toString('base64')
    const certificate = issued()
    const before = request({ certificate })
    expect(changed('status', request(), request({ certificate })).reported).toEqual([])
    expect(changed('approval', request(), request({ certificate })).reported).toEqual([
      'status.certificate: Forbidden: updates may not set certificate content',
    ])
    expect(changed('status', before, request({ certificate: issued() })).reported).toEqual([
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ])
    expect(changed('status', before, request({ certificate })).reported).toEqual([])
  })

  it('reports all missing fields', () => {
    const causes = rules.validate?.(request(), undefined, testWriteContext()) ?? []
    expect(causes.map(({ field }) => field)).toEqual([
      'spec.request',
      'spec.usages',
      'spec.signerName',
    ])
  })
})
