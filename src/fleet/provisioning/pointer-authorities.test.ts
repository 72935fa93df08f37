import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import { readBundle } from '@machinist/pki/bundle'
import { createAuthority } from '@machinist/pki/issue'
import { pointerAuthorities } from './pointer-authorities.ts'

const validity = { from: 0, until: 1e12 }
const [a, b] = await Promise.all(
  ['a', 'b'].map(async (name) => {
    const { certificate } = await createAuthority({ name, validity, keyKind: 'ecdsa-p256' })
    return { pem: certificate, fingerprint: [...readBundle(certificate).bundle.keys()][0]! }
  }),
)

const pointer = (...sources: unknown[]): string =>
  JSON.stringify({
    ignition: {
      security: { tls: { certificateAuthorities: sources.map((source) => ({ source })) } },
    },
  })
const base64 = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`

it('a pointer config has the CAs of all its sources', () => {
  const both = [a!.fingerprint, b!.fingerprint]
  expect(pointerAuthorities(pointer(base64(a!.pem + b!.pem)))).toEqual(both)
  expect(pointerAuthorities(pointer(encodeDataUrl(a!.pem), base64(b!.pem)))).toEqual(both)
  expect(pointerAuthorities(pointer(base64(a!.pem), base64(a!.pem)))).toEqual([a!.fingerprint])
})

it.each([
  '',
  'null',
  '{}',
  '{"ignition":{"security":{"tls":{"certificateAuthorities":{}}}}}',
  '{"ignition":{"security":{"tls":{"certificateAuthorities":[null,7,{}]}}}}',
  pointer('https://elsewhere', 'data:,text', 'data:;base64,!', 7),
])('%j has none', (text) => {
  expect(pointerAuthorities(text)).toEqual([])
})

it('any text is read without an error', () => {
  const source = fc.oneof(
    fc.string(),
    fc.base64String().map((text) => `data:;base64,${text}`),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        source.map((each) => pointer(each)),
      ),
      (text) => {
        expect(pointerAuthorities(text)).toEqual([])
      },
    ),
  )
})
