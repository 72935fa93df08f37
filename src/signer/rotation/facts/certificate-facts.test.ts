import { createPrivateKey } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate } from '@machinist/pki/issue'
import { rotationOf, spec, start } from '../decide/decide-facts.fixture.ts'
import type { LeafFacts, PublishedFacts } from './facts.ts'
import type { ObjectLister } from './objects.ts'
import type { FoundCertificates } from './certificate-facts.ts'
import { certificateFacts } from './certificate-facts.ts'

const day = 86_400_000
const validity = { from: start, until: start + 30 * day }
const request = { commonName: 'two', usages: ['server' as const], dnsNames: ['two'], validity }

let ca: KeyPair
let other: KeyPair
let leaf: KeyPair

beforeAll(async () => {
  ca = await createAuthority({ name: 'keys_signer@1', validity })
  other = await createAuthority({ name: 'keys_signer@1', validity })
  leaf = await issueCertificate(ca, request)
})

const secret = (data: Readonly<Record<string, string>>): Secret => ({
  metadata: { name: 'x', annotations: { 'machinist.dev/rotate-back': 'abc' } },
  data: Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
})
const pair = ({ certificate, key }: KeyPair): Record<string, string> => ({
  'tls.crt': certificate,
  'tls.key': key,
})
const map = (text: string): ConfigMap => ({
  metadata: { name: 'x' },
  data: { 'ca-bundle.crt': text },
})

/** The facts of a cluster with these objects, by name. */
function gathered(
  objects: Readonly<Record<string, Secret | ConfigMap>>,
): FoundCertificates['facts'] {
  const found: ObjectLister = {
    secret: ({ name }) => objects[name],
    configMap: ({ name }) => objects[name],
  }
  return certificateFacts(rotationOf(spec), found, start).facts
}

describe('the signer', () => {
  const current = (data: Readonly<Record<string, string>>): unknown =>
    gathered({ signer: secret(data) }).signer?.current

  it('is read from its certificate', () => {
    const { signer } = gathered({
      signer: secret({ ...pair(ca), 'previous.crt': other.certificate, 'previous.key': other.key }),
    })
    expect(signer).toMatchObject({
      current: { commonName: 'keys_signer@1', notBefore: start, notAfter: start + 30 * day },
      previous: { commonName: 'keys_signer@1' },
      keepsPrevious: true,
      rotateBack: 'abc',
    })
  })

  it('is damaged if any part is invalid, and messages do not quote it', () => {
    expect(current({})).toEqual({ problem: 'tls.crt is missing' })
    expect(current({ 'tls.crt': 'x' })).toEqual({ problem: 'tls.crt is not a certificate' })
    expect(current({ 'tls.crt': ca.certificate.slice(0, 200) })).toEqual({
      problem: 'tls.crt cannot be read: PEM block "CERTIFICATE" has no END line',
    })
    expect(current({ 'tls.crt': ca.certificate })).toEqual({ problem: 'tls.key is missing' })
    expect(current({ ...pair(ca), 'tls.key': 'secret' })).toEqual({
      problem:
        'tls.key cannot be used: not a private key in PEM, or it is encrypted with a passphrase',
    })
    expect(current({ ...pair(ca), 'tls.key': other.key })).toEqual({
      problem: 'tls.key is not the key of tls.crt',
    })
    expect(current(pair(leaf))).toEqual({ problem: 'tls.crt is not the certificate of a CA' })
  })

  it('has no previous CA if that is damaged', () => {
    const data = { ...pair(ca), 'previous.crt': other.certificate, 'previous.key': ca.key }
    const { signer } = gathered({ signer: secret(data) })
    expect(signer).toMatchObject({ keepsPrevious: true })
    expect(signer).not.toHaveProperty('previous')
  })
})

describe('a target', () => {
  const targets = (data: Readonly<Record<string, string>>, bundle = ''): unknown[] => {
    const objects = { two: secret(data), ca: map(bundle) }
    return gathered(objects).targets.map((each) => each?.leaf)
  }

  it('belongs to the CA that signed it, not to one with the same name', () => {
    const bundle = other.certificate + ca.certificate
    const [none, found] = targets(pair(leaf), bundle)
    expect(none).toBeUndefined()
    const fingerprint = (
      gathered({ signer: secret(pair(ca)) }).signer!.current as { fingerprint: string }
    ).fingerprint
    expect(found).toMatchObject({ notBefore: start, signedBy: { fingerprint } })
    expect(targets(pair(leaf), other.certificate)[1]).not.toHaveProperty('signedBy')
  })

  it('belongs to the current CA if a former one has the same name and key', async () => {
    const key = createPrivateKey(ca.key)
    const chance = { key: () => Promise.resolve(key), serial: () => Buffer.from([7]) }
    const again = await createAuthority({ name: 'keys_signer@1', validity }, chance)
    for (const bundle of [ca.certificate + again.certificate, again.certificate + ca.certificate]) {
      for (const current of [ca, again]) {
        const { signer, targets: found } = gathered({
          signer: secret(pair(current)),
          two: secret(pair(leaf)),
          ca: map(bundle),
        })
        expect((found[1]!.leaf as LeafFacts).signedBy).toEqual(signer!.current)
      }
    }
  })

  it('belongs to the CA of its chain if no other object contains it', () => {
    const chain = { ...pair(leaf), 'tls.crt': leaf.certificate + ca.certificate }
    expect(targets(chain)[1]).toMatchObject({ signedBy: { commonName: 'keys_signer@1' } })
  })

  it.each([
    [{ commonName: 'three' }, 'the common name is not two'],
    [{ organizations: ['x'] }, 'the organizations are not none'],
    [{ usages: ['client' as const] }, 'it is not for a server'],
    [{ dnsNames: ['two', 'three'] }, 'the hostnames are not two'],
    [{ dnsNames: ['TWO'] }, undefined],
  ])('differs from its spec: %j', async (change, differs) => {
    const strange = await issueCertificate(ca, { ...request, ...change })
    const [, found] = targets(pair(strange), ca.certificate)
    expect((found as { differs?: string }).differs).toBe(differs)
  })
})

describe('an input of a published bundle', () => {
  const published = (
    objects: Readonly<Record<string, ConfigMap>>,
    isManaged: boolean,
  ): PublishedFacts | undefined =>
    certificateFacts(
      rotationOf(spec),
      { secret: () => undefined, configMap: ({ name }) => objects[name] },
      start,
      ({ name }) => isManaged && name === 'other',
    ).facts.published[0]

  it('is awaited if it does not exist and another rotation creates it, otherwise left out', () => {
    const awaited = { namespace: 'keys', name: 'other' }
    expect(published({}, true)).toMatchObject({ awaited, inputs: [] })
    expect(published({ other: map('') }, true)).toMatchObject({ awaited })
    expect(published({}, false)).not.toHaveProperty('awaited')
    expect(published({ other: map(ca.certificate) }, true)).not.toHaveProperty('awaited')
    const torn = published({ other: map('hello') }, true)
    expect(torn).not.toHaveProperty('awaited')
    expect(torn?.inputs[0]?.bundle).toHaveProperty('problem')
  })
})

describe('a bundle', () => {
  const read = (object: ConfigMap): unknown => gathered({ ca: object }).bundle

  it('is tidy if it is sorted by bytes and contains only certificates', async () => {
    const third = await createAuthority({ name: 'third', validity })
    const texts = [ca, other, third].map(({ certificate }) => certificate)
    const der = (text: string): Buffer =>
      Buffer.from(text.replaceAll(/-----.*-----|\n/g, ''), 'base64')
    const sorted = texts.toSorted((a, b) => Buffer.compare(der(a), der(b))).join('')
    expect(read(map(sorted))).toMatchObject({ isTidy: true })
    const turned = texts.toSorted((a, b) => Buffer.compare(der(b), der(a))).join('')
    expect(read(map(turned))).toMatchObject({ isTidy: false })
    // A published bundle has the order of its inputs.
    const [published] = gathered({ 'client-ca': map(turned) }).published
    expect(published?.found).toMatchObject({ isTidy: true })
    expect(read(map(`# ours\n${sorted}`))).toMatchObject({ isTidy: false })
    expect(read(map(sorted + texts[0]!))).toMatchObject({ isTidy: false })
  })

  it('reports its problem', () => {
    expect(read(map('hello'))).toMatchObject({ problem: 'it contains no certificate' })
    expect(read(map(`${ca.certificate}-----BEGIN CERTIFICATE-----\n`))).toMatchObject({
      authorities: [{ commonName: 'keys_signer@1' }],
      problem: expect.stringContaining('PEM block "CERTIFICATE" has no END line'),
    })
    expect(read({ metadata: { name: 'x' } })).toMatchObject({ authorities: [] })
    expect(read({ metadata: { name: 'x' } })).not.toHaveProperty('problem')
  })

  it('may be in binaryData', () => {
    const binaryData = { 'ca-bundle.crt': Buffer.from(ca.certificate).toString('base64') }
    expect(read({ metadata: { name: 'x' }, binaryData })).toMatchObject({
      authorities: [{ commonName: 'keys_signer@1' }],
      isTidy: false,
    })
  })
})
