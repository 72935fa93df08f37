import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64, ca, text } from '@machinist/testing/certificates/certificates'
import { readBundle } from '@machinist/pki/bundle'
import { Cluster } from '../cluster.fixture.ts'
import { kubeletClientCA, replaceSigner } from './kubelet-client-ca.ts'

const prefix = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer'
const a = await ca('A')
const b = await ca('B')
const signer = await ca('kube-apiserver-to-kubelet-signer')
const s1 = await ca(`${prefix}@1700000000`)
const s2 = await ca(`${prefix}@1800000000`)
const lookalike = await ca('not-kube-apiserver-to-kubelet-signer-at-all')
const named = { [a]: 'A', [b]: 'B', [signer]: 'S', [s1]: 'S1', [s2]: 'S2', [lookalike]: 'L' }
const names = (pem: string): string[] =>
  pem.split(/(?<=-----END CERTIFICATE-----\n)/).map((one) => named[one] ?? 'unknown')
const merged = (base: string, rotated: string): string[] =>
  names(replaceSigner(readBundle(base).bundle, readBundle(rotated).bundle))

describe('the rotated bundle replaces the signer of the installer', () => {
  it.each([
    ['in its place', a + signer + b, s2 + s1, ['A', 'S2', 'S1', 'B']],
    ['once, if there are two', a + signer + b + s1, s2, ['A', 'S2', 'B']],
    ['at the end, if there is none', a + b, s2 + s1, ['A', 'B', 'S2', 'S1']],
    ['without duplicates', s1 + a, s2 + s1 + a, ['S2', 'S1', 'A']],
    ['by its whole name', a + lookalike, s1, ['A', 'L', 'S1']],
    ['by itself', signer, s1, ['S1']],
  ])('%s', (_, base, rotated, result) => {
    expect(merged(base, rotated)).toEqual(result)
  })

  it('for any bundles: only signers are removed, there are no duplicates, and the whole rotated bundle is included', () => {
    const some = fc.array(fc.constantFrom(a, b, signer, s1, s2, lookalike), { maxLength: 6 })
    fc.assert(
      fc.property(some, some, (base, rotated) => {
        const result = merged(base.join(''), rotated.join(''))
        const given = new Set([...base, ...rotated].map((one) => named[one]))
        expect(result.filter((one) => one !== 'unknown').length).toBe(
          new Set(result.filter((one) => one !== 'unknown')).size,
        )
        for (const one of rotated) expect(result).toContain(named[one])
        for (const one of ['A', 'B', 'L']) expect(result.includes(one)).toBe(given.has(one))
      }),
      { numRuns: 100 },
    )
  })
})

describe('the client CAs of kubelets', () => {
  const mark = (cluster: Cluster): Cluster => {
    const metadata = { namespace: 'kube-system', name: 'bootstrap' }
    cluster.configMaps.set('kube-system/bootstrap', { metadata })
    return cluster
  }
  const resultOf = (cluster: Cluster): string => {
    const result = kubeletClientCA(cluster.facts())
    if (result.state === 'absent') return 'absent'
    return result.state === 'valid' ? names(text(result.value)).join(' ') : result.problem.message
  }

  it('are the published bundle, unchanged, after the installation', () => {
    const bytes = `# ours\r\n${b}\n\n${a}${b}`
    const cluster = mark(new Cluster()).put('kubelet', bytes).put('initial', signer)
    expect(kubeletClientCA(cluster.facts())).toEqual({ state: 'valid', value: base64(bytes) })
  })

  it("are the installer's bundle with the rotated signer before that", () => {
    const cluster = new Cluster().put('initial', a + signer + b).put('kubelet', a)
    expect(resultOf(cluster)).toBe('A S B')
    expect(resultOf(cluster.put('signer', s2 + s1))).toBe('A S2 S1 B')
    expect(resultOf(cluster.put('signer', 'garbage'))).toBe(
      'ConfigMap openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca, key ca-bundle.crt: it has no certificate in PEM; add the certificates as PEM',
    )
    expect(resultOf(cluster.put('initial', ''))).toContain(
      'ConfigMap openshift-config/initial-kube-apiserver-server-ca, key ca-bundle.crt: it is empty',
    )
  })

  it('are the published bundle without an installer, and may be absent', () => {
    expect(resultOf(new Cluster())).toBe('absent')
    expect(resultOf(new Cluster().put('kubelet', a + b))).toBe('A B')
  })

  it('are required after an installation', () => {
    expect(resultOf(mark(new Cluster()))).toBe(
      'ConfigMap openshift-config-managed/kube-apiserver-client-ca is missing: create it again',
    )
  })

  it('are removed only on purpose', () => {
    const cluster = mark(new Cluster()).put('kubelet', a)
    cluster.settle()
    cluster.remove('kubelet')
    expect(resultOf(cluster)).toContain('is missing')
    cluster.put('kubelet', a).mark('openshift-config-managed/kube-apiserver-client-ca')
    expect(resultOf(cluster)).toBe('absent')
  })

  it("do not return to the installer's bundle if the mark of the installation is lost", () => {
    const cluster = mark(new Cluster())
      .put('initial', signer)
      .put('kubelet', a + b)
    cluster.settle()
    cluster.configMaps.delete('kube-system/bootstrap')
    expect(resultOf(cluster)).toBe('A B')
    expect(resultOf(cluster.put('kubelet', a + b + s1))).toBe('A B S1')
  })
})
