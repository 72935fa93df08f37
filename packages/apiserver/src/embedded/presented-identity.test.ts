import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ca } from '@machinist/testing/certificates/certificates'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { readBundle } from '@machinist/pki/bundle'
import type { KeyPair } from '@machinist/pki/issue'
import { PresentedIdentity } from './presented-identity.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-shown-'))
afterAll(() => rmSync(directory, { recursive: true }))

const kubeconfig = join(directory, 'kubeconfig')
const [own, one, two, leaf1, leaf2] = [
  await ca('own'),
  await ca('one'),
  await ca('two'),
  await ca('leaf 1'),
  await ca('leaf 2'),
]
const first: KeyPair = { certificate: leaf1, key: '' }
const second: KeyPair = { certificate: leaf2 + two, key: '' }

/** Names of the CAs in the kubeconfig. */
function known(): string[] {
  const found = parseYaml(readFileSync(kubeconfig, 'utf8'), kubeconfig) as {
    clusters: { cluster: Record<string, string> }[]
  }
  const data = found.clusters[0]!.cluster['certificate-authority-data']!
  const { bundle } = readBundle(Buffer.from(data, 'base64').toString())
  return [...bundle.values()].map(({ commonName }) => commonName ?? '').sort()
}

describe('the presented identity', () => {
  let shown: PresentedIdentity
  /** The kubeconfig's CAs when each certificate was presented. */
  let presented: [KeyPair, string[]][]

  beforeEach(async () => {
    presented = []
    shown = await PresentedIdentity.begin({
      serving: first,
      authority: own,
      kubeconfig,
      access: { server: 'https://127.0.0.1:1', token: 'secret', context: 'machinist' },
      present: (serving) => presented.push([serving, known()]),
    })
  })

  it('is trusted by its kubeconfig, which has mode 0600', () => {
    expect(known()).toEqual(['own'])
    expect(shown.ca).toBe(own)
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600)
  })

  it('is trusted before it is presented', async () => {
    await shown.show(second)
    expect(presented).toEqual([[second, ['own', 'two']]])
    expect(known()).toEqual(['two'])
    await shown.show(second)
    expect(presented).toHaveLength(1)
  })

  it('stays trusted for any published CAs', async () => {
    await shown.trust(one)
    expect(known()).toEqual(['one', 'own'])
    await shown.trust(one + two)
    await shown.show(second)
    expect(known()).toEqual(['one', 'two'])
    await shown.trust(two)
    expect(known()).toEqual(['two'])
  })

  it('keeps other entries of the kubeconfig, and repairs damaged ones', async () => {
    const text = readFileSync(kubeconfig, 'utf8')
    writeFileSync(
      kubeconfig,
      text.replace('user: machinist', 'user: machinist\n      namespace: shop'),
    )
    await shown.trust(one)
    expect(readFileSync(kubeconfig, 'utf8')).toContain('namespace: shop')
    rmSync(kubeconfig)
    await shown.trust(two)
    expect(known()).toEqual(['own', 'two'])
    writeFileSync(kubeconfig, '{')
    await shown.trust(one)
    expect(known()).toEqual(['one', 'own'])
  })

  it('changes sequentially, and continues after a failure', async () => {
    const refusing = await PresentedIdentity.begin({
      serving: first,
      authority: own,
      kubeconfig,
      access: { server: 'https://127.0.0.1:1', token: 'secret', context: 'machinist' },
      present: () => {
        throw new Error('no')
      },
    })
    const all = await Promise.allSettled([
      refusing.show(second),
      refusing.trust(one),
      refusing.trust(one + two),
    ])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(refusing.serving).toBe(first)
    expect(known()).toEqual(['one', 'own', 'two'])
  })
})
