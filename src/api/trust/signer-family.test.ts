import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commonNameIn, lastOfFamilies, signerFamily } from './signer-family.ts'

const signer = 'kube-apiserver-to-kubelet-signer'

describe('a signer family', () => {
  it.each([
    [signer, signer],
    [`openshift-kube-apiserver-operator_${signer}@1638843908`, signer],
    ['admin-kubeconfig-signer', 'admin-kubeconfig-signer'],
    ['my_ca', 'my_ca'],
    ['user@example', 'user@example'],
    ['root@1', 'root'],
    ['', ''],
  ])('of %j is %j', (name, family) => {
    expect(signerFamily(name)).toBe(family)
  })

  it.each([
    ['CN=a', 'a'],
    ['OU=openshift, CN=root-ca', 'root-ca'],
    ['O=x\nCN=b', 'b'],
    ['CN=root-ca,OU=openshift', 'root-ca'],
    ['O=example', 'O=example'],
    ['O=notCN=x', 'O=notCN=x'],
    ['', ''],
  ])('uses the CN of %j', (subject, name) => {
    expect(commonNameIn(subject)).toBe(name)
  })

  it('expires with its last member', () => {
    const of = (commonName: string, notAfter: number) => ({ commonName, notAfter })
    expect(
      lastOfFamilies([
        of(signer, 5),
        of(`ns_${signer}@2`, 9),
        of('other', 3),
        of(`ns_${signer}@1`, 7),
      ]),
    ).toEqual([of(`ns_${signer}@2`, 9), of('other', 3)])
    expect(lastOfFamilies([])).toEqual([])
  })

  it('is computed for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(text).toContain(signerFamily(text))
        expect(text).toContain(commonNameIn(text))
      }),
    )
  })
})
