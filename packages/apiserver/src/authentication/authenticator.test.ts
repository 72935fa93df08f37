import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { Authorizer } from '../authorization/authorizer.ts'
import { Authenticator } from './authenticator.ts'
import { bearerToken } from './bearer-token.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import { readTokenFile } from './static-tokens.ts'
import { selfReview, tokenReview } from './token-review.ts'

const clients = createAuthority('clients')
const authorities = [new X509Certificate(clients.certificate)]
const jane = new X509Certificate(clients.issueClient('jane', 'staff').certificate)
const stranger = new X509Certificate(
  createAuthority('strangers').issueClient('jane', 'system:masters').certificate,
)
const clock = new VirtualClock(jane.validFromDate.getTime() + 1000)
const issuer = 'https://localhost'
const accountTokens = new ServiceAccountTokens({
  issuer,
  audiences: [issuer],
  signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  clock,
  findUid: (_, name) => (name === 'robot' ? 'uid-robot' : undefined),
  newId: () => 'id-1',
})
const robot = accountTokens.issue({
  namespace: 'demo',
  account: { name: 'robot', uid: 'uid-robot' },
  audiences: [issuer],
  seconds: 3600,
}).token
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const bootstrapData = {
  'token-id': base64('abcdef'),
  'token-secret': base64('0123456789abcdef'),
  'usage-bootstrap-authentication': base64('true'),
}
const authenticator = new Authenticator({
  clientAuthorities: () => authorities,
  staticTokens: readTokenFile('administrators-token,admin-0,admin-0,"system:masters"\n'),
  accountTokens,
  findBootstrapSecret: (name) =>
    name === 'bootstrap-token-abcdef'
      ? { type: 'bootstrap.kubernetes.io/token', metadata: {}, data: bootstrapData }
      : undefined,
  authorizer: new Authorizer(),
  clock,
})
const admin = {
  username: 'admin-0',
  uid: 'admin-0',
  groups: ['system:masters', 'system:authenticated'],
}
const bearer = (token: string): { headers: { authorization: string[] } } => ({
  headers: { authorization: [`Bearer ${token}`] },
})
const unauthorized = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' }

describe('authentication', () => {
  it('prefers the client certificate over a token', () => {
    const named = { username: 'jane', groups: ['staff', 'system:authenticated'] }
    expect(authenticator.authenticate({ peerCertificate: jane, headers: {} })).toMatchObject(named)
    for (const token of ['administrators-token', 'bad']) {
      const both = { peerCertificate: jane, ...bearer(token) }
      expect(authenticator.authenticate(both)).toMatchObject(named)
    }
  })

  it('uses the user of the token', () => {
    expect(authenticator.authenticate(bearer('administrators-token'))).toEqual(admin)
    expect(authenticator.authenticate(bearer(robot))).toMatchObject({
      username: 'system:serviceaccount:demo:robot',
    })
    expect(
      authenticator.authenticate({ peerCertificate: stranger, ...bearer('administrators-token') }),
    ).toEqual(admin)
  })

  it('accepts the bootstrap token of a joining machine', () => {
    const joining = bearer('abcdef.0123456789abcdef')
    expect(authenticator.authenticate(joining)).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:authenticated'],
    })
    const wrong = bearer('abcdef.0123456789abcdee')
    expect(authenticator.authenticate(wrong)).toMatchObject(unauthorized)
  })

  it('rejects an invalid token or untrusted certificate instead of falling back to anonymous', () => {
    expect(authenticator.authenticate(bearer('bad'))).toMatchObject(unauthorized)
    expect(authenticator.authenticate(bearer(`${robot}x`))).toMatchObject(unauthorized)
    expect(authenticator.authenticate({ peerCertificate: stranger, headers: {} })).toMatchObject(
      unauthorized,
    )
  })

  it('is anonymous without credentials', () => {
    const nobody = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
    expect(authenticator.authenticate({ headers: {} })).toEqual(nobody)
    const basic = { headers: { authorization: ['Basic YTpi'] } }
    expect(authenticator.authenticate(basic)).toEqual(nobody)
  })
})

describe('the bearer token of a header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['  Bearer abc  ', 'abc'],
    ['Bearer abc def', 'abc'],
    ['Bearer  abc', undefined],
    ['Bearer\tabc', undefined],
    ['Bearer ', undefined],
    ['Bearer', undefined],
    ['Basic abc', undefined],
    ['', undefined],
  ])('of %j is %j', (header, token) => {
    expect(bearerToken({ authorization: [header] })).toBe(token)
  })
})

describe('a token file', () => {
  it('has users with and without groups', () => {
    const tokens = readTokenFile('t1,u1,id1\n\nt2,u2,id2,one\nt3,u3,id3,"one,two"\n')
    expect(tokens.find('t1')).toEqual({
      username: 'u1',
      uid: 'id1',
      groups: ['system:authenticated'],
    })
    expect(tokens.find('t2')?.groups).toEqual(['one', 'system:authenticated'])
    expect(tokens.find('t3')?.groups).toEqual(['one', 'two', 'system:authenticated'])
    expect(tokens.find('t4')).toBeUndefined()
    expect(tokens.find('')).toBeUndefined()
  })

  it('reports the line of an error without its content', () => {
    const thrown = thrownBy(() => readTokenFile('t1,u1,id1\nvery-secret,u2'))
    expect(thrown).toBeInstanceOf(InvalidInput)
    expect((thrown as Error).message).toBe(
      'line 2 of the token file does not have the form token,user,uid,"group1,group2"',
    )
  })

  it('is parsed or rejected, for any content', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const thrown = thrownBy(() => readTokenFile(text))
        expect(thrown === undefined || thrown instanceof InvalidInput).toBe(true)
      }),
    )
  })
})

describe('a token review', () => {
  it('returns the user of a token', () => {
    expect(tokenReview(authenticator, { token: 'administrators-token' })).toEqual({
      authenticated: true,
      user: admin,
      audiences: ['https://localhost'],
    })
    expect(tokenReview(authenticator, { token: robot })).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:demo:robot', uid: 'uid-robot' },
      audiences: ['https://localhost'],
    })
  })

  it('returns the error of an invalid token', () => {
    const bad = { user: {}, error: 'invalid bearer token' }
    expect(tokenReview(authenticator, { token: 'bad' })).toEqual(bad)
    const elsewhere = { token: 'administrators-token', audiences: ['x'] }
    expect(tokenReview(authenticator, elsewhere)).toEqual(bad)
    expect(tokenReview(authenticator, { token: robot, audiences: ['c'] })).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["https://localhost"] is invalid for the target audiences ["c"]]',
    })
  })

  it('requires a token', () => {
    for (const spec of [{}, { token: '' }]) {
      expect(thrownBy(() => tokenReview(authenticator, spec))).toMatchObject({
        code: 400,
        reason: 'BadRequest',
        message: 'token is required for TokenReview in authentication',
      })
    }
  })

  it('of the requesting user returns its user info', () => {
    expect(selfReview(admin)).toEqual({ userInfo: admin })
  })
})
