import { expect, it } from 'vitest'
import { newCA, oldCA, preparing } from './sample.fixture.ts'
import { authorityOf, goesBack, previousOf } from './authority.ts'

const first = {
  fingerprint: 'f'.repeat(64),
  subject: 'CN=kube-apiserver-to-kubelet-signer,OU=openshift',
  notBefore: '2020-01-01T00:00:00Z',
  notAfter: '2030-01-01T00:00:00Z',
}

it('a CA has a short unique name', () => {
  expect(authorityOf(newCA)).toEqual({
    name: 'kube-apiserver-to-kubelet-signer@1794837720',
    fingerprint: 'b'.repeat(64),
    notAfter: 1_826_373_720_000,
  })
  expect(authorityOf(first).name).toBe('kube-apiserver-to-kubelet-signer')
})

it('the previous CA is the newest retiring one', () => {
  expect(previousOf({ ...preparing, retiring: [first, oldCA] })?.fingerprint).toBe('a'.repeat(64))
  expect(previousOf({ retiring: [] })).toBeUndefined()
  expect(previousOf({})).toBeUndefined()
})

it('a rollback is recognized by the creation order of CAs, not by their expiry', () => {
  expect(goesBack(preparing)).toBe(false)
  expect(goesBack({ current: newCA, retiring: [first] })).toBe(false)
  expect(goesBack({ current: oldCA, retiring: [newCA] })).toBe(true)
  expect(goesBack({ current: first, retiring: [oldCA] })).toBe(true)
  expect(goesBack({ retiring: [oldCA] })).toBe(false)
  expect(goesBack({ current: oldCA })).toBe(false)
})
