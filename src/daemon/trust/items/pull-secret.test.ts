import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { RefusedInput } from './item.ts'
import { mergedPullSecret, refuseBadPullSecret, rolesInOrder } from './pull-secret.ts'

const bytes = (value: unknown): Uint8Array =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const merged = (given: unknown, mounted: unknown): unknown =>
  JSON.parse(
    Buffer.from(
      mergedPullSecret(given === undefined ? undefined : bytes(given), bytes(mounted)),
    ).toString(),
  )

const auths = (entries: object): object => ({ auths: entries })
const login = (auth: string): object => ({ username: '', password: '', email: '', auth })

describe('a merged pull secret', () => {
  it.each([
    [
      'of different hosts',
      auths({ a: { auth: 'x' } }),
      auths({ b: { auth: 'y' } }),
      auths({ a: login('x'), b: login('y') }),
    ],
    [
      'of the same host: the mounted one wins',
      auths({ a: { auth: 'x', username: 'u' } }),
      auths({ a: { auth: 'y' } }),
      auths({ a: login('y') }),
    ],
    [
      'the mounted one in the older format',
      auths({ a: { auth: 'x' } }),
      { b: { username: 'u', password: 'p', email: 'e', auth: 'y', other: 1 } },
      auths({
        a: login('x'),
        b: { username: 'u', password: 'p', email: 'e', auth: 'y' },
      }),
    ],
    [
      'the given one in the older format',
      { a: { auth: 'x' } },
      auths({}),
      auths({ a: login('x') }),
    ],
    ['nothing is given', undefined, auths({ b: { auth: 'y' } }), auths({ b: login('y') })],
  ])('%s', (_, given, mounted, expected) => {
    expect(merged(given, mounted)).toEqual(expected)
  })

  it('has sorted hosts, so that equal content is an equal file', () => {
    const given = bytes(auths({ b: { auth: 'x' }, a: { auth: 'y' } }))
    expect(Buffer.from(mergedPullSecret(given, bytes({}))).toString()).toBe(
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"y"},"b":{"username":"","password":"","email":"","auth":"x"}}}',
    )
  })

  it.each(['TOPSECRET', '["TOPSECRET"]', '"TOPSECRET"', '{"auths":"TOPSECRET"}', ''])(
    'with the part %j is refused without quoting it',
    (bad) => {
      const errors = [
        thrownBy(() => mergedPullSecret(bytes('{}'), bytes(bad))),
        thrownBy(() => mergedPullSecret(bytes(bad), bytes('{}'))),
      ]
      for (const error of errors) {
        expect(error).toBeInstanceOf(RefusedInput)
        expect(String(error)).not.toContain('TOPSECRET')
      }
    },
  )

  it('is a valid file or a refusal for any input', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (given, mounted) => {
        const error = thrownBy(() => merged(given, mounted))
        expect(error === undefined || error instanceof RefusedInput).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a single pull secret', () => {
  it('must be a JSON object', () => {
    expect(() => refuseBadPullSecret(bytes('{"anything":1}'))).not.toThrow()
    expect(() => refuseBadPullSecret(bytes('\n'))).toThrow(
      'the pull secret of the cluster is not a JSON object',
    )
  })
})

describe('roles', () => {
  it('of a custom pool come before worker', () => {
    const labels = {
      'node-role.kubernetes.io/worker': '',
      'node-role.kubernetes.io/zeta': '',
      'node-role.kubernetes.io/infra': '',
      'kubernetes.io/os': 'linux',
    }
    expect(rolesInOrder(labels)).toEqual(['infra', 'zeta', 'worker'])
    expect(rolesInOrder({})).toEqual([])
  })
})
