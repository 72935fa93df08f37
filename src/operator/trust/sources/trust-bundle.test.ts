import { describe, expect, it } from 'vitest'
import { base64, ca, text } from '@machinist/testing/certificates/certificates'
import { Cluster, given, unreachable } from '../cluster.fixture.ts'
import { trustBundle } from './trust-bundle.ts'

const a = await ca('A')
const b = await ca('B')

const withProxy = (name: string): Cluster => {
  const cluster = new Cluster()
  cluster.proxy = given({ spec: { trustedCA: { name } } })
  return cluster
}
const resultOf = (cluster: Cluster): string => {
  const result = trustBundle(cluster.facts())
  if (result.state === 'absent') return 'absent'
  return result.state === 'valid'
    ? text(result.value)
    : `${result.problem.reason}: ${result.problem.message}`
}

describe('the trust bundle', () => {
  it('is absent without sources', () => {
    expect(resultOf(new Cluster())).toBe('absent')
    expect(resultOf(withProxy(''))).toBe('absent')
  })

  it("has the administrator's CAs, then the proxy's, on separate lines", () => {
    expect(resultOf(new Cluster().put('user', a))).toBe(a)
    expect(resultOf(withProxy('proxy-ca').put('user', a).put('proxy', b))).toBe(a + b)
    expect(resultOf(withProxy('proxy-ca').put('user', a.trimEnd()).put('proxy', b))).toBe(a + b)
    expect(resultOf(withProxy('proxy-ca').put('proxy', b))).toBe(b)
    const crlf = a.replaceAll('\n', '\r\n')
    expect(resultOf(withProxy('proxy-ca').put('user', crlf).put('proxy', b.trimEnd()))).toBe(
      crlf + b.trimEnd(),
    )
  })

  it("has the administrator's CAs once, if the proxy references them", () => {
    expect(resultOf(withProxy('user-ca-bundle').put('user', a))).toBe(a)
    // A referenced ConfigMap is required.
    expect(resultOf(withProxy('user-ca-bundle'))).toBe(
      'Missing: ConfigMap openshift-config/user-ca-bundle is missing: create it again',
    )
  })

  it('is decoded from base64', () => {
    expect(resultOf(new Cluster().put('user', base64(a)))).toBe(a)
    expect(resultOf(new Cluster().put('user', Buffer.from(a)))).toBe(a)
  })

  it('requires the referenced ConfigMap, and each part must be valid', () => {
    expect(resultOf(withProxy('proxy-ca').put('user', a))).toBe(
      'Missing: ConfigMap openshift-config/proxy-ca is missing: create it again',
    )
    expect(resultOf(withProxy('proxy-ca').put('user', 'no').put('proxy', b))).toContain('NotPEM: ')
    expect(resultOf(withProxy('proxy-ca').put('user', a).put('proxy', ''))).toBe(
      'Empty: ConfigMap openshift-config/proxy-ca, key ca-bundle.crt: it is empty; add the certificates as PEM',
    )
    expect(resultOf(new Cluster().put('user', undefined))).toBe(
      'MissingKey: ConfigMap openshift-config/user-ca-bundle has no key ca-bundle.crt: add it with the certificates, or delete the ConfigMap',
    )
  })

  it('stays unchanged while the Proxy is unreadable', () => {
    const cluster = new Cluster().put('user', a)
    cluster.proxy = unreachable
    expect(resultOf(cluster)).toBe('NotReachable: cannot read it')
  })

  it('excludes a part that is removed on purpose', () => {
    const cluster = withProxy('proxy-ca').put('user', a).put('proxy', b)
    cluster.mark('openshift-config/proxy-ca')
    expect(resultOf(cluster)).toBe(a)
    cluster.mark('openshift-config/user-ca-bundle')
    expect(resultOf(cluster)).toBe('absent')
  })
})
