import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BootstrapSecret } from './bootstrap-tokens.ts'
import { bootstrapUser } from './bootstrap-tokens.ts'

const token = 'abcdef.0123456789abcdef'
const now = Date.parse('2026-01-01T00:00:00Z')
const good = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
}

function userWith(
  values: Readonly<Record<string, string>>,
  more: Partial<BootstrapSecret> = {},
): unknown {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  const secret = { type: 'bootstrap.kubernetes.io/token', metadata: {}, data, ...more }
  const find = (name: string): BootstrapSecret | undefined =>
    name === 'bootstrap-token-abcdef' ? secret : undefined
  return bootstrapUser(token, find, now)
}

describe('a bootstrap token', () => {
  it('authenticates a joining machine', () => {
    expect(userWith(good)).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:authenticated'],
    })
    const groups = 'system:bootstrappers:workers,system:bootstrappers:rack-1'
    const later = { expiration: '2026-01-01T00:00:01Z', 'auth-extra-groups': groups }
    expect(userWith({ ...good, ...later })).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: [
        'system:bootstrappers',
        'system:bootstrappers:workers',
        'system:bootstrappers:rack-1',
        'system:authenticated',
      ],
    })
  })

  it.each<[string, Record<string, string>, Partial<BootstrapSecret>]>([
    ['another secret', { 'token-secret': '0123456789abcdee' }, {}],
    ['no secret', { 'token-secret': '' }, {}],
    ['another id', { 'token-id': 'abcdeg' }, {}],
    ['no permission to authenticate', { 'usage-bootstrap-authentication': 'false' }, {}],
    ['an expiration that has come', { expiration: '2026-01-01T00:00:00Z' }, {}],
    ['an expiration that is no timestamp', { expiration: 'soon' }, {}],
    ['groups outside of its own', { 'auth-extra-groups': 'system:masters' }, {}],
    ['another type', {}, { type: 'Opaque' }],
    ['its Secret on the way out', {}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['no data', {}, { data: null }],
  ])('is rejected with %s', (_, values, more) => {
    expect(userWith({ ...good, ...values }, more)).toBeUndefined()
  })

  it('has one format, and others are not looked up', () => {
    const forms = fc.oneof(
      fc.string(),
      fc.constantFrom('abcdef', 'abcdef.', `${token}x`, `${token}\n`, 'ABCDEF.0123456789abcdef'),
    )
    fc.assert(
      fc.property(forms, (text) => {
        const looked: string[] = []
        const find = (name: string): undefined => void looked.push(name)
        expect(bootstrapUser(text, find, now)).toBeUndefined()
        expect(looked).toEqual([])
      }),
    )
  })
})
