import { expect, it } from 'vitest'
import { newCA, oldCA, preparing } from './sample.fixture.ts'
import { authorityOf, goesBack, previousOf } from './authority.ts'

const first = {
  fingerprint: 'f'.repeat(64),
  subject: 'CN=kube-apiserver-to-kubelet-signer,OU=openshift',
  notBefore: '2020-01-01T00:00:00Z',
  notAfter: '2030-01-01T00:00:00Z',
}

it('a CA is called by what tells it from others', () => {
  expect(authorityOf(newCA)).toEqual({
    name: 'kube-apiserver-to-kubelet-signer@1794837720',
    fingerprint: 'b'.repeat(64),
    notAfter: 1_826_373_720_000,
  })
  expect(authorityOf(first).name).toBe('kube-apiserver-to-kubelet-signer')
})

it('the previous one is the last made of those that are to go', () => {
  expect(previousOf({ ...preparing, retiring: [first, oldCA] })?.fingerprint).toBe('a'.repeat(64))
  expect(previousOf({ retiring: [] })).toBeUndefined()
  expect(previousOf({})).toBeUndefined()
})

it('going back shows in the order in which CAs were made, not in how long they last', () => {
  expect(goesBack(preparing)).toBe(false)
  expect(goesBack({ current: newCA, retiring: [first] })).toBe(false)
  expect(goesBack({ current: oldCA, retiring: [newCA] })).toBe(true)
  expect(goesBack({ current: first, retiring: [oldCA] })).toBe(true)
  expect(goesBack({ retiring: [oldCA] })).toBe(false)
  expect(goesBack({ current: oldCA })).toBe(false)
})
