import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { keyId, readJwt, signJwt } from './jwt.ts'
import type { BoundKind, TokenGrant, TokenSettings } from './service-account-tokens.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const robot = { name: 'robot', uid: 'uid-robot' }
const issuer = 'https://localhost'
const grant: TokenGrant = {
  namespace: 'demo',
  account: robot,
  audiences: [issuer],
  seconds: 3600,
}

function tokensWith(changes: Partial<TokenSettings> = {}): {
  tokens: ServiceAccountTokens
  clock: VirtualClock
  uids: Map<string, string>
} {
  const clock = new VirtualClock(Date.parse('2026-11-15T22:07:34.700Z'))
  const uids = new Map([
    ['ServiceAccount demo/robot', 'uid-robot'],
    ['Pod demo/p1', 'uid-p1'],
    ['Secret demo/s1', 'uid-s1'],
    ['Node /n1', 'uid-n1'],
  ])
  let count = 0
  const tokens = new ServiceAccountTokens({
    issuer,
    audiences: [issuer],
    signingKey: pair.privateKey,
    clock,
    findUid: (kind: BoundKind, name, namespace) => uids.get(`${kind} ${namespace}/${name}`),
    newId: () => `id-${++count}`,
    ...changes,
  })
  return { tokens, clock, uids }
}

const decoded = (token: string): unknown[] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown)

describe('a token of a service account', () => {
  it('has the claims that Kubernetes writes', () => {
    const { tokens } = tokensWith()
    const bound = {
      ...grant,
      pod: { name: 'p1', uid: 'uid-p1' },
      node: { name: 'n1', uid: 'uid-n1' },
    }
    const { token, expires } = tokens.issue(bound)
    expect(expires).toBe(1794784054000)
    expect(decoded(token)).toEqual([
      { alg: 'ES256', kid: keyId(pair.publicKey) },
      {
        aud: ['https://localhost'],
        exp: 1794784054,
        iat: 1794780454,
        iss: 'https://localhost',
        jti: 'id-1',
        'kubernetes.io': {
          namespace: 'demo',
          node: { name: 'n1', uid: 'uid-n1' },
          pod: { name: 'p1', uid: 'uid-p1' },
          serviceaccount: { name: 'robot', uid: 'uid-robot' },
        },
        nbf: 1794780454,
        sub: 'system:serviceaccount:demo:robot',
      },
    ])
  })

  it('authenticates the account and records where it is used', () => {
    const { tokens } = tokensWith()
    const pod = { name: 'p1', uid: 'uid-p1' }
    const node = { name: 'n1', uid: 'uid-n1' }
    const verdict = tokens.verify(tokens.issue({ ...grant, pod, node }).token, [issuer])
    expect(verdict).toEqual({
      user: {
        username: 'system:serviceaccount:demo:robot',
        uid: 'uid-robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=id-1'],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': ['uid-n1'],
          'authentication.kubernetes.io/pod-name': ['p1'],
          'authentication.kubernetes.io/pod-uid': ['uid-p1'],
        },
      },
      audiences: ['https://localhost'],
    })
  })

  it('is valid only between its notBefore and expiration times', async () => {
    const { tokens, clock } = tokensWith()
    const { token } = tokens.issue(grant)
    await clock.advance(3_599_000)
    expect(tokens.verify(token, [issuer])).toHaveProperty('user')
    await clock.advance(1000)
    expect(tokens.verify(token, [issuer])).toEqual({ problem: 'service account token has expired' })
    clock.jump(-4_000_000)
    expect(tokens.verify(token, [issuer])).toEqual({
      problem: 'service account token is not valid yet',
    })
  })

  it('is valid only for its audiences', () => {
    const { tokens } = tokensWith()
    const { token } = tokens.issue({ ...grant, audiences: ['a', 'b'] })
    expect(tokens.verify(token, ['b', 'c'])).toMatchObject({ audiences: ['b'] })
    expect(tokens.verify(token, [issuer])).toEqual({
      problem:
        'token audiences ["a" "b"] is invalid for the target audiences ["https://localhost"]',
    })
  })

  const gone = 'service account token has been invalidated'
  it.each([
    ['ServiceAccount demo/robot', undefined, {}, 'serviceaccounts "robot" not found'],
    ['ServiceAccount demo/robot', 'another', {}, gone],
    ['Pod demo/p1', undefined, { pod: { name: 'p1', uid: 'uid-p1' } }, gone],
    ['Pod demo/p1', 'another', { pod: { name: 'p1', uid: 'uid-p1' } }, gone],
    ['Secret demo/s1', undefined, { secret: { name: 's1', uid: 'uid-s1' } }, gone],
    ['Node /n1', 'another', { node: { name: 'n1', uid: 'uid-n1' } }, gone],
  ])('becomes invalid with %s (now %s)', (key, uid, bound, problem) => {
    const { tokens, uids } = tokensWith()
    const { token } = tokens.issue({ ...grant, ...bound })
    expect(tokens.verify(token, [issuer])).toHaveProperty('user')
    if (uid === undefined) uids.delete(key)
    else uids.set(key, uid)
    expect(tokens.verify(token, [issuer])).toEqual({ problem })
  })

  it('of a pod remains valid without its node, which is informational', () => {
    const { tokens, uids } = tokensWith()
    const node = { name: 'n1', uid: 'uid-n1' }
    const { token } = tokens.issue({ ...grant, pod: { name: 'p1', uid: 'uid-p1' }, node })
    uids.delete('Node /n1')
    expect(tokens.verify(token, [issuer])).toHaveProperty('user')
  })

  it('remains valid after a key rotation while the former key is configured', () => {
    const fresh = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { token } = tokensWith().tokens.issue(grant)
    const changed = tokensWith({ signingKey: fresh.privateKey, formerKeys: [pair.publicKey] })
    expect(changed.tokens.verify(token, [issuer])).toHaveProperty('user')
    const forgotten = tokensWith({ signingKey: fresh.privateKey })
    expect(forgotten.tokens.verify(token, [issuer])).toEqual({
      problem: 'the signature does not match',
    })
  })

  it('of another issuer is left to other authenticators', () => {
    const { tokens } = tokensWith()
    const foreign = tokensWith({ issuer: 'https://elsewhere' }).tokens.issue(grant).token
    for (const token of ['', 'bad', 'a.b.c', '..', foreign]) {
      expect(tokens.verify(token, [issuer])).toBeUndefined()
    }
  })

  it('whose claims contradict its subject is rejected', () => {
    const { tokens } = tokensWith()
    const key = { id: keyId(pair.publicKey), key: pair.privateKey }
    const claims = decoded(tokens.issue(grant).token)[1] as Record<string, unknown>
    const altered = signJwt(key, { ...claims, sub: 'system:serviceaccount:demo:other' })
    expect(tokens.verify(altered, [issuer])).toEqual({ problem: 'claims are missing' })
    const { exp: _, ...eternal } = claims
    expect(tokens.verify(signJwt(key, eternal), [issuer])).toEqual({
      problem: 'claims are missing',
    })
  })
})

describe('a forged token', () => {
  const { tokens } = tokensWith()
  const { token } = tokens.issue(grant)
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const headOf = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('without a signature or with another algorithm is ignored', () => {
    const spki = pair.publicKey.export({ type: 'spki', format: 'pem' })
    const content = `${headOf({ alg: 'HS256' })}.${claims}`
    const mac = createHmac('sha256', spki).update(content).digest('base64url')
    for (const forged of [`${headOf({ alg: 'none' })}.${claims}.`, `${content}.${mac}`]) {
      expect(tokens.verify(forged, [issuer])).toBeUndefined()
    }
    expect(tokens.verify(`${head}.${claims}.`, [issuer])).toEqual({
      problem: 'the signature does not match',
    })
  })

  it('is rejected for every changed character', () => {
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'z', '0', '_', '.'),
        (at, char) => {
          fc.pre(token[at] !== char)
          const changed = token.slice(0, at) + char + token.slice(at + 1)
          expect(tokens.verify(changed, [issuer]) ?? {}).not.toHaveProperty('user')
        },
      ),
      { numRuns: 200 },
    )
    expect(tokens.verify(`${token}x`, [issuer]) ?? {}).not.toHaveProperty('user')
    expect(tokens.verify(`${head}.${claims}.${signature}=`, [issuer])).not.toHaveProperty('user')
  })

  it('of any form never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.base64String()).map((p) => p.join('.')),
        ),
        (text) => {
          expect(readJwt(text)?.isSignedBy([]) ?? false).toBe(false)
        },
      ),
      { numRuns: 300 },
    )
    expect(readJwt(`${'a'.repeat(20_000)}.b.c`)).toBeUndefined()
  })
})

describe("a real server's token", () => {
  it('is verified with its key', () => {
    // Signed by kube-apiserver v1.32.4 with this key; expired.
    expect(decoded(recordedToken)[0]).toEqual({ alg: 'ES256', kid: keyId(recordedKey) })
    const jwt = readJwt(recordedToken)!
    expect(jwt.isSignedBy([{ id: keyId(recordedKey), key: recordedKey }])).toBe(true)
    expect(jwt.isSignedBy([{ id: keyId(recordedKey), key: pair.publicKey }])).toBe(false)
  })
})

const recordedKey = createPublicKey({
  key: Buffer.from(
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEl7ogF/ntPbsxbDKu6hfs/U9Vt8fbtfQ2kLM9rYVow1oBAeysGAQsiPV5ttcEPFUBhN2erzyRjz4AOgKRcd3IMw==',
    'base64',
  ),
  type: 'spki',
  format: 'der',
})
const recordedToken = [
  'eyJhbGciOiJFUzI1NiIsImtpZCI6IjdoNFlTVS1vUmJCVVVDU0QyXzBBZ0RTYUtrYWFBZUFPNUxNcl9wczJpRnMi',
  'fQ.eyJhdWQiOlsiaHR0cHM6Ly9sb2NhbGhvc3QiXSwiZXhwIjoxNzk0Nzg0MDU0LCJpYXQiOjE3OTQ3ODA0NTQsI',
  'mlzcyI6Imh0dHBzOi8vbG9jYWxob3N0IiwianRpIjoiODQyN2RjYzAtMGI0MS00NDc2LWIyZjgtMzViMDdkNGM5Y',
  'mNjIiwia3ViZXJuZXRlcy5pbyI6eyJuYW1lc3BhY2UiOiJkZW1vIiwic2VydmljZWFjY291bnQiOnsibmFtZSI6I',
  'nJvYm90IiwidWlkIjoiZDQwOWQ0MmQtZmQ0YS00OGZiLWIyMjYtNjBmZjgwMWY4ZmE2In19LCJuYmYiOjE3OTQ3O',
  'DA0NTQsInN1YiI6InN5c3RlbTpzZXJ2aWNlYWNjb3VudDpkZW1vOnJvYm90In0.TryHo4wR4H8WHY4B9rKp1gdiW',
  'I1WiJ_42lDR1cpHG6cw1TQnrfBt-zai8ZMoBBJzqSWh0YCPFXzna_9Vywg_Vg',
].join('')
