import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import type { Secret } from '@machinist/kube/kinds/core'
import { readBundle } from '@machinist/pki/bundle'
import type { KeyPair, LeafTemplate } from '@machinist/pki/issue'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { publishedBundle, servingCertificateIn } from './serving-certificate.ts'

const hour = 3_600_000
const now = systemClock.now()
const validity = validFor(systemClock, hour)
const authority = await createAuthority({ name: 'one', validity })
const other = await createAuthority({ name: 'two', validity })
const question = { published: readBundle(authority.certificate).bundle, host: '127.0.0.1', now }

const leaf = (by: KeyPair, template: Partial<LeafTemplate> = {}): Promise<KeyPair> =>
  issueCertificate(by, {
    commonName: 'api',
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
    validity,
    ...template,
  })

const good = await leaf(authority)
const byStranger = await leaf(other)
const elsewhere = await leaf(authority, { ipAddresses: ['127.0.0.2'] })
const forClients = await leaf(authority, { usages: ['client'] })

const secretOf = (tls: Record<string, string>): Secret => ({
  metadata: { name: 'serving' },
  data: Object.fromEntries(
    Object.entries(tls).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
})

const given = ({ certificate, key }: KeyPair, at = now): ReturnType<typeof servingCertificateIn> =>
  servingCertificateIn(secretOf({ 'tls.crt': certificate, 'tls.key': key }), {
    ...question,
    now: at,
  })

describe('a serving certificate', () => {
  it('is used if clients trust it', () => {
    expect(given(good)).toEqual(good)
    const whole = { ...good, certificate: good.certificate + authority.certificate }
    expect(given(whole)).toEqual(whole)
  })

  it.each([
    ['of an unknown CA', byStranger, 'no trusted certificate issued it'],
    ['for another address', elsewhere, '127.0.0.1'],
    ['for clients', forClients, 'not valid for a server'],
    ['with the key of another', { ...good, key: other.key }, 'tls.key'],
    ['with a damaged key', { ...good, key: good.key.slice(0, 60) }, 'tls.key'],
    ['that is damaged', { ...good, certificate: good.certificate.slice(0, 99) }, 'tls.crt'],
    ['with rubbish behind it', { ...good, certificate: good.certificate + good.key }, 'tls.crt'],
  ])('%s is not used', (_what, pair, why) => {
    expect(given(pair)).toEqual({ problem: expect.stringContaining(why) as string })
  })

  it('is not used outside its validity', () => {
    expect(given(good, now - hour)).toEqual({ problem: 'certificate "api" is not valid yet' })
    expect(given(good, now + 2 * hour)).toEqual({ problem: 'certificate "api" has expired' })
  })

  it('is rejected with a reason that does not quote it', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(good.certificate, good.key, other.key))
    fc.assert(
      fc.property(text, text, (certificate, key) => {
        const answer = given({ certificate, key })
        const isGood = certificate === good.certificate && key === good.key
        expect('problem' in answer).toBe(!isGood)
        expect('problem' in answer ? answer.problem : '').not.toMatch(/BEGIN|[A-Za-z0-9+/]{40}/)
      }),
      { numRuns: 200 },
    )
  })
})

describe('published CAs', () => {
  it('are those that can be parsed', () => {
    const metadata = { name: 'ca' }
    const data = { 'ca-bundle.crt': `${authority.certificate}rubbish` }
    expect([...publishedBundle({ metadata, data })!.keys()]).toEqual([...question.published.keys()])
    expect(publishedBundle({ metadata, data: { 'ca-bundle.crt': 'rubbish' } })).toBeUndefined()
    expect(publishedBundle({ metadata })).toBeUndefined()
    expect(publishedBundle(undefined)).toBeUndefined()
  })
})
