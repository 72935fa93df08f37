import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'
import { callerOf, tallyRequests } from './request-tally.ts'

const request = (change: Partial<AuditedRequest>): AuditedRequest => ({
  auditId: 'x',
  receivedAt: 150,
  endedAt: 160,
  verb: 'get',
  uri: '/',
  userAgent: 'machinist/1.0.0 (worker-0)',
  sourceIP: '127.0.0.1',
  code: 200,
  ...change,
})

const configs = {
  group: 'machineconfiguration.openshift.io',
  version: 'v1',
  resource: 'controllerconfigs',
}
const pods = { group: '', version: 'v1', resource: 'pods', subresource: 'eviction' }
const span = { from: 100, until: 200 }

describe('the caller of a request', () => {
  it.each([
    ['machinist/1.0.0 (worker-0)', 'worker-0'],
    ['machinist/1.0.0', undefined],
    ['kubectl/v1.32 (linux/amd64) kubernetes/abc', undefined],
    ['', undefined],
  ])('%j: %s', (userAgent, expected) => {
    expect(callerOf({ userAgent })).toBe(expected)
  })
})

describe('requests to the API', () => {
  it('are counted per node, reads and writes, with rejected ones, without watches', () => {
    const { byNode } = tallyRequests(
      [
        request({}),
        request({ verb: 'list' }),
        request({ verb: 'watch' }),
        request({ verb: 'patch', code: 409 }),
        request({ verb: 'create', userAgent: 'machinist/1.0.0 (infra-0)' }),
        request({ userAgent: 'machinist/1.0.0' }),
      ],
      span,
    )
    expect(Object.fromEntries(byNode)).toEqual({
      'worker-0': { reads: 2, writes: 1 },
      'infra-0': { reads: 0, writes: 1 },
    })
  })

  it('are counted by the time they were received', () => {
    const open = request({ receivedAt: 50, endedAt: 150 })
    const edges = [100, 200].map((receivedAt) => request({ receivedAt, endedAt: 999 }))
    const { byNode } = tallyRequests([open, ...edges, request({ receivedAt: 201 })], span)
    expect(byNode.get('worker-0')).toEqual({ reads: 2, writes: 0 })
  })

  it('include stored writes of all callers', () => {
    const others = { userAgent: 'machinist/1.0.0' }
    const tally = tallyRequests(
      [
        request({ ...others, verb: 'update', object: configs }),
        request({ ...others, verb: 'patch', object: { ...configs, subresource: 'status' } }),
        request({ ...others, verb: 'update', object: configs, code: 409 }),
        request({ ...others, verb: 'get', object: configs }),
        request({ ...others, verb: 'create', object: pods, code: 201 }),
        request({ ...others, verb: 'create', object: pods, code: 429 }),
      ],
      span,
    )
    expect(tally).toMatchObject({ controllerConfigWrites: 2, evictions: 1 })
  })

  it('of a node are counted once', () => {
    const some = fc.record({
      verb: fc.constantFrom('get', 'list', 'watch', 'create', 'update', 'patch', 'delete', ''),
      receivedAt: fc.integer({ min: 0, max: 300 }),
      userAgent: fc.constantFrom('machinist/1 (a)', 'machinist/1 (b)', 'machinist/1', 'curl/8'),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), (list) => {
        const { byNode } = tallyRequests(list.map(request), span)
        const total = [...byNode.values()].reduce((sum, each) => sum + each.reads + each.writes, 0)
        const expected = list.filter(
          ({ receivedAt, userAgent, verb }) =>
            receivedAt >= 100 && receivedAt <= 200 && userAgent.endsWith(')') && verb !== 'watch',
        )
        expect(total).toBe(expected.length)
      }),
    )
  })
})
