import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import type { BindableObject, BoundObjectRef, TokenRequestSpec } from './token-request.ts'
import { tokenRequest } from './token-request.ts'

const tokens = new ServiceAccountTokens({
  issuer: 'https://localhost',
  audiences: ['https://localhost'],
  signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  clock: new VirtualClock(Date.parse('2026-11-15T22:07:34Z')),
  findUid: () => 'uid-robot',
  newId: () => 'id',
})
const account = { namespace: 'demo', name: 'robot', uid: 'uid-robot' }
const objects: Record<string, BindableObject> = {
  'Pod p1': { name: 'p1', uid: 'uid-p1', nodeName: 'n1', serviceAccountName: 'robot' },
  'Pod p2': { name: 'p2', uid: 'uid-p2', serviceAccountName: 'other' },
  'Pod p3': { name: 'p3', uid: 'uid-p3', nodeName: 'n9', serviceAccountName: 'robot' },
  'Secret s1': { name: 's1', uid: 'uid-s1' },
  'Node n1': { name: 'n1', uid: 'uid-n1' },
}
const request = (spec: TokenRequestSpec): ReturnType<typeof tokenRequest> =>
  tokenRequest(tokens, account, spec, { find: (kind, name) => objects[`${kind} ${name}`] })
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
const bound = (
  kind: string,
  name: string,
  more: Partial<BoundObjectRef> = {},
): TokenRequestSpec => ({
  boundObjectRef: { apiVersion: 'v1', kind, name, ...more },
})

describe('a token request', () => {
  it('defaults to one hour and the audiences of the server', () => {
    const { spec, status } = request({})
    expect(spec).toEqual({
      audiences: ['https://localhost'],
      expirationSeconds: 3600,
      boundObjectRef: null,
    })
    expect(status.expirationTimestamp).toBe('2026-11-15T23:07:34Z')
    expect(claimsOf(status.token)).toMatchObject({
      aud: ['https://localhost'],
      sub: 'system:serviceaccount:demo:robot',
      'kubernetes.io': { namespace: 'demo', serviceaccount: { name: 'robot', uid: 'uid-robot' } },
    })
  })

  it('uses the requested audiences and expiration', () => {
    const { spec, status } = request({ audiences: ['a', 'b'], expirationSeconds: 600 })
    expect(spec).toMatchObject({ audiences: ['a', 'b'], expirationSeconds: 600 })
    expect(status.expirationTimestamp).toBe('2026-11-15T22:17:34Z')
    expect(claimsOf(status.token)['aud']).toEqual(['a', 'b'])
    const longest = request({ expirationSeconds: 4294967296 })
    expect(longest.status.expirationTimestamp).toBe('2162-12-23T04:35:50Z')
  })

  it.each([
    ['Pod', 'p1', { pod: { name: 'p1', uid: 'uid-p1' }, node: { name: 'n1', uid: 'uid-n1' } }],
    ['Pod', 'p3', { pod: { name: 'p3', uid: 'uid-p3' } }],
    ['Secret', 's1', { secret: { name: 's1', uid: 'uid-s1' } }],
    ['Node', 'n1', { node: { name: 'n1', uid: 'uid-n1' } }],
  ])('binds the token to %s %s', (kind, name, claims) => {
    const { spec, status } = request(bound(kind, name))
    expect(spec.boundObjectRef).toEqual({ apiVersion: 'v1', kind, name })
    expect(claimsOf(status.token)['kubernetes.io']).toEqual({
      namespace: 'demo',
      serviceaccount: { name: 'robot', uid: 'uid-robot' },
      ...claims,
    })
  })

  const invalid = (value: number, why: string): object => {
    const message = `Invalid value: ${value}: ${why}`
    const field = 'spec.expirationSeconds'
    return {
      code: 422,
      reason: 'Invalid',
      message: `TokenRequest.authentication.k8s.io "" is invalid: ${field}: ${message}`,
      details: {
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        causes: [{ reason: 'FieldValueInvalid', message, field }],
      },
    }
  }

  it.each([
    [{ expirationSeconds: 599 }, invalid(599, 'may not specify a duration less than 10 minutes')],
    [
      { expirationSeconds: 4294967297 },
      invalid(4294967297, 'may not specify a duration larger than 2^32 seconds'),
    ],
    [bound('Pod', 'nope'), { code: 404, message: 'pods "nope" not found' }],
    [bound('Secret', 'nope'), { code: 404, message: 'secrets "nope" not found' }],
    [
      bound('Node', 'nope'),
      { code: 404, message: 'nodes "nope" not found', details: { name: 'nope', kind: 'nodes' } },
    ],
    [
      bound('Pod', 'p1', { uid: 'abc' }),
      {
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on Pod "p1": the UID in the bound object reference (abc) does not match the UID in record. The object might have been deleted and then recreated',
        details: { name: 'p1', kind: 'Pod' },
      },
    ],
    [
      bound('Pod', 'p2'),
      {
        code: 400,
        message:
          'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
      },
    ],
    [
      bound('ConfigMap', 'p1'),
      { code: 400, message: 'cannot bind token to object of type /v1, Kind=ConfigMap' },
    ],
    [
      bound('Deployment', 'd', { apiVersion: 'apps/v1' }),
      { code: 400, message: 'cannot bind token to object of type apps/v1, Kind=Deployment' },
    ],
    [
      { boundObjectRef: {} },
      { code: 400, message: 'cannot bind token to object of type /, Kind=' },
    ],
    [bound('Pod', ''), { code: 400, message: 'Name parameter required.' }],
  ])('%j gets the error of kube-apiserver', (spec, error) => {
    expect(thrownBy(() => request(spec))).toMatchObject(error)
  })
})
