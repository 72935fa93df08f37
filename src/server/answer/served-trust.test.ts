import { expect, it } from 'vitest'
import { base64, ca } from '@machinist/testing/certificates/certificates'
import { sameTrust, servedTrust } from './served-trust.ts'

const [one, two] = [await ca('one'), await ca('two')]
const none = { kubeAPIServerServingCAData: null, cloudProviderCAData: null }
const texts = (files: readonly { path: string; content: Uint8Array }[]): unknown[] =>
  files.map(({ path, content }) => [path, Buffer.from(content).toString()])

it('the items of a ControllerConfig are served at the paths of the trust lane', () => {
  const trust = servedTrust({
    kubeAPIServerServingCAData: base64(one.trimEnd()),
    cloudProviderCAData: base64(two),
    imageRegistryBundleData: [{ file: 'a..5000', data: base64(one) }],
    imageRegistryBundleUserData: [{ file: 'a..5000', data: base64(two) }],
  })
  expect(texts(trust.bundles)).toEqual([
    ['/etc/kubernetes/kubelet-ca.crt', one],
    ['/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem', two],
  ])
  expect(texts(trust.registries)).toEqual([['/etc/docker/certs.d/a:5000/ca.crt', two]])
  expect(trust.problems).toEqual([])
})

it('an old and a new CA are served as long as both are in the bundle', () => {
  const both = servedTrust({ ...none, kubeAPIServerServingCAData: base64(one + two) })
  expect(texts(both.bundles)).toEqual([['/etc/kubernetes/kubelet-ca.crt', one + two]])
})

it('an invalid item is left out and reported, without its content', () => {
  const trust = servedTrust({
    kubeAPIServerServingCAData: base64('CANARY'),
    cloudProviderCAData: base64(one),
    imageRegistryBundleData: [
      { file: '../etc', data: base64(one) },
      { file: 'b', data: base64('CANARY') },
      { file: 'c', data: base64(one) },
    ],
  })
  expect([...trust.bundles, ...trust.registries].map(({ path }) => path)).toEqual([
    '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
    '/etc/docker/certs.d/c/ca.crt',
  ])
  expect(trust.problems).toEqual([
    'kubeAPIServerServingCAData: the bundle contains no certificate',
    'registry :/etc: the name is not a valid registry host',
    'registry b: the bundle contains no certificate',
  ])
})

it('two trusts are the same if their files are', () => {
  const trust = servedTrust({ ...none, kubeAPIServerServingCAData: base64(one) })
  expect(sameTrust(trust, servedTrust({ ...none, kubeAPIServerServingCAData: base64(one) }))).toBe(
    true,
  )
  expect(sameTrust(trust, servedTrust({ ...none, kubeAPIServerServingCAData: base64(two) }))).toBe(
    false,
  )
  expect(sameTrust(trust, servedTrust(none))).toBe(false)
  expect(sameTrust(trust, undefined)).toBe(false)
  expect(sameTrust(undefined, undefined)).toBe(true)
})
