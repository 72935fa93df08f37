import { describe, expect, it } from 'vitest'
import type { AuditedRequest } from './audit.ts'
import { auditLine } from './audit-line.ts'

const request: AuditedRequest = {
  auditId: '7f1c',
  receivedAt: Date.parse('2026-01-02T03:04:05.678Z'),
  endedAt: Date.parse('2026-01-02T03:04:05.700Z'),
  verb: 'patch',
  uri: '/apis/apps/v1/namespaces/shop/deployments/web/status',
  userAgent: 'kubectl/v1.32.4',
  sourceIP: '127.0.0.1',
  user: { username: 'admin', groups: ['system:masters'] },
  object: {
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    subresource: 'status',
    namespace: 'shop',
    name: 'web',
  },
  code: 200,
}

describe('an audit log line', () => {
  it('is an audit.k8s.io/v1 Event at level Metadata', () => {
    expect(auditLine(request)).toBe(
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"7f1c",' +
        '"stage":"ResponseComplete","requestURI":"/apis/apps/v1/namespaces/shop/deployments/web/status",' +
        '"verb":"patch","user":{"username":"admin","groups":["system:masters"]},' +
        '"sourceIPs":["127.0.0.1"],"userAgent":"kubectl/v1.32.4",' +
        '"objectRef":{"resource":"deployments","subresource":"status","namespace":"shop","name":"web",' +
        '"apiGroup":"apps","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},' +
        '"requestReceivedTimestamp":"2026-01-02T03:04:05.678000Z","stageTimestamp":"2026-01-02T03:04:05.700000Z"}\n',
    )
  })

  it('omits unknown fields', () => {
    const { user: _user, object: _object, ...rest } = request
    const line: unknown = JSON.parse(auditLine({ ...rest, sourceIP: '', verb: 'get' }))
    expect(line).not.toHaveProperty('objectRef')
    expect(line).toMatchObject({ user: {}, sourceIPs: [], verb: 'get' })
    const core = { group: '', version: 'v1', resource: 'nodes' }
    expect(JSON.parse(auditLine({ ...request, object: core }))).toHaveProperty('objectRef', {
      resource: 'nodes',
      apiVersion: 'v1',
    })
  })

  it('stays one line for any input', () => {
    const hostile = 'agent\n{"kind":"Event"}\u2028\r'
    const line = auditLine({ ...request, userAgent: hostile, uri: `/${hostile}` })
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line)).toMatchObject({ userAgent: hostile })
  })
})
