import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testWriteContext } from '../write-context.fixture.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import { configMapRules } from './config-map.ts'
import { keyProblems } from './data-keys.ts'
import { secretRules } from './secret.ts'

const fieldsSaid = (rules: KindRules, object: object, before?: object): string[] => {
  const whole = (given: object): ApiObject => ({ metadata: { name: 'x' }, ...given })
  const causes = rules.validate?.(whole(object), before && whole(before), testWriteContext()) ?? []
  return causes.map(({ field }) => field ?? '')
}

describe('a key of a ConfigMap or Secret', () => {
  it.each(['a', 'A.b-c_d', '.profile', 'k'.repeat(253)])('can be %s', (key) => {
    expect(keyProblems('data', key)).toEqual([])
  })

  it('is always a valid file name', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (key) => {
        const good = /^[-._a-zA-Z0-9]+$/.test(key) && key !== '.' && !key.startsWith('..')
        expect(keyProblems('data', key).length === 0).toBe(good)
      }),
    )
  })
})

describe('a ConfigMap', () => {
  it('counts text in UTF-8 bytes and binary data decoded', () => {
    const half = 512 * 1024
    const binaryData = { b: Buffer.alloc(half).toString('base64') }
    expect(fieldsSaid(configMapRules, { data: { a: 'y'.repeat(half) }, binaryData })).toEqual([])
    expect(fieldsSaid(configMapRules, { data: { a: 'ü'.repeat(half) }, binaryData })).toEqual([
      '[]',
    ])
  })

  it('cannot become mutable again', () => {
    const sealed = { immutable: true, data: { a: '1' } }
    expect(fieldsSaid(configMapRules, sealed, sealed)).toEqual([])
    expect(fieldsSaid(configMapRules, { data: { a: '1' } }, sealed)).toEqual(['immutable'])
    expect(fieldsSaid(configMapRules, { ...sealed, data: {} }, sealed)).toEqual(['data'])
    expect(fieldsSaid(configMapRules, { ...sealed, binaryData: {} }, sealed)).toEqual([])
    const open = { data: { a: '1' } }
    expect(fieldsSaid(configMapRules, sealed, open)).toEqual([])
  })
})

describe('a secret', () => {
  it.each([
    ['kubernetes.io/tls', { 'tls.crt': '', 'tls.key': '' }],
    ['kubernetes.io/basic-auth', { password: '' }],
    ['kubernetes.io/ssh-auth', { 'ssh-privatekey': 'AA==' }],
    ['Opaque', {}],
    ['example.org/own', {}],
  ])('of type %s is valid with %j', (type, data) => {
    expect(fieldsSaid(secretRules, { type, data })).toEqual([])
  })

  it('has an immutable type', () => {
    expect(fieldsSaid(secretRules, { type: 'a' }, { type: 'b' })).toEqual(['type'])
  })
})
