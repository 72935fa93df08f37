import { describe, expect, it } from 'vitest'
import { base64, ca, text } from '@machinist/testing/certificates'
import { Cluster, given, unreachable } from './cluster.fixture.ts'
import { trustBundle } from './trust-bundle.ts'

const a = await ca('A')
const b = await ca('B')

const withProxy = (name: string): Cluster => {
  const cluster = new Cluster()
  cluster.proxy = given({ spec: { trustedCA: { name } } })
  return cluster
}
const said = (cluster: Cluster): string => {
  const verdict = trustBundle(cluster.facts())
  if (verdict.state === 'absent') return 'absent'
  return verdict.state === 'good'
    ? text(verdict.value)
    : `${verdict.problem.reason}: ${verdict.problem.message}`
}

describe('the trust bundle', () => {
  it('is nothing unless somebody gives something', () => {
    expect(said(new Cluster())).toBe('absent')
    expect(said(withProxy(''))).toBe('absent')
  })

  it('is the administrators CAs, then the proxys, on lines of their own', () => {
    expect(said(new Cluster().put('user', a))).toBe(a)
    expect(said(withProxy('proxy-ca').put('user', a).put('proxy', b))).toBe(a + b)
    expect(said(withProxy('proxy-ca').put('user', a.trimEnd()).put('proxy', b))).toBe(a + b)
    expect(said(withProxy('proxy-ca').put('proxy', b))).toBe(b)
    const crlf = a.replaceAll('\n', '\r\n')
    expect(said(withProxy('proxy-ca').put('user', crlf).put('proxy', b.trimEnd()))).toBe(
      crlf + b.trimEnd(),
    )
  })

  it('has the administrators CAs once, if the proxy names them', () => {
    expect(said(withProxy('user-ca-bundle').put('user', a))).toBe(a)
    // What is named has to be there, whoever else may leave it out.
    expect(said(withProxy('user-ca-bundle'))).toBe(
      'Missing: ConfigMap openshift-config/user-ca-bundle is not there: bring it back',
    )
  })

  it('is decoded where it is base64', () => {
    expect(said(new Cluster().put('user', base64(a)))).toBe(a)
    expect(said(new Cluster().put('user', Buffer.from(a)))).toBe(a)
  })

  it('needs what the Proxy names, and each part by itself', () => {
    expect(said(withProxy('proxy-ca').put('user', a))).toBe(
      'Missing: ConfigMap openshift-config/proxy-ca is not there: bring it back',
    )
    expect(said(withProxy('proxy-ca').put('user', 'no').put('proxy', b))).toContain('NotPEM: ')
    expect(said(withProxy('proxy-ca').put('user', a).put('proxy', ''))).toBe(
      'Empty: ConfigMap openshift-config/proxy-ca, key ca-bundle.crt: is empty: put the certificates there as PEM',
    )
    expect(said(new Cluster().put('user', undefined))).toBe(
      'MissingKey: ConfigMap openshift-config/user-ca-bundle has no key ca-bundle.crt: put the certificates there, or delete the ConfigMap',
    )
  })

  it('stays as it is while nobody knows what the Proxy says', () => {
    const cluster = new Cluster().put('user', a)
    cluster.proxy = unreachable
    expect(said(cluster)).toBe('NotReachable: the API does not say')
  })

  it('is without a part that somebody takes away', () => {
    const cluster = withProxy('proxy-ca').put('user', a).put('proxy', b)
    cluster.mark('openshift-config/proxy-ca')
    expect(said(cluster)).toBe(a)
    cluster.mark('openshift-config/user-ca-bundle')
    expect(said(cluster)).toBe('absent')
  })
})
