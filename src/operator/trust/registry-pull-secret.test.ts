import { describe, expect, it } from 'vitest'
import { text } from '@machinist/testing/certificates'
import { Cluster, given, puller, pullSecret, unreachable } from './cluster.fixture.ts'
import { registryPullSecret } from './registry-pull-secret.ts'

const registry = 'image-registry.openshift-image-registry.svc:5000'
const dockercfg = 'kubernetes.io/dockercfg'
const dockerconfigjson = 'kubernetes.io/dockerconfigjson'
const logins = (hosts: Record<string, string>): object =>
  Object.fromEntries(Object.entries(hosts).map(([host, auth]) => [host, { auth }]))
const namesake = (name: string) => ({
  metadata: { namespace: 'openshift-machine-config-operator', name: 'machine-os-puller' },
  imagePullSecrets: [{ name }],
})

const own = (cluster: Cluster, hosts: Record<string, string>): Cluster =>
  cluster.putSecret(puller, dockercfg, { '.dockercfg': JSON.stringify(logins(hosts)) })
const global = (cluster: Cluster, hosts: Record<string, string>): Cluster =>
  cluster.putSecret(pullSecret, dockerconfigjson, {
    '.dockerconfigjson': JSON.stringify({ auths: logins(hosts) }),
  })

function withRegistry(): Cluster {
  const cluster = new Cluster()
  cluster.registryOperator = { metadata: { name: 'image-registry' } }
  cluster.dns = given({ spec: { baseDomain: 'one.example.com' } })
  cluster.puller = namesake('puller-dockercfg')
  return global(own(cluster, {}), {})
}

const said = (cluster: Cluster): unknown => {
  const verdict = registryPullSecret(cluster.facts())
  if (verdict.state === 'absent') return 'absent'
  if (verdict.state === 'bad') return `${verdict.problem.reason}: ${verdict.problem.message}`
  const { auths } = JSON.parse(text(verdict.value)) as { auths: Record<string, { auth: string }> }
  return Object.fromEntries(Object.entries(auths).map(([host, { auth }]) => [host, auth]))
}

describe('the pull secret of the clusters own registry', () => {
  it('is that of the registry and that of the cluster', () => {
    expect(said(global(own(withRegistry(), { a: '1' }), { b: '2' }))).toEqual({ a: '1', b: '2' })
  })

  it('is that of the cluster where both have a host', () => {
    expect(said(global(own(withRegistry(), { a: '1' }), { a: '2' }))).toEqual({ a: '2' })
  })

  it('is the same inside and outside of the cluster', () => {
    expect(said(own(withRegistry(), { [registry]: 'r' }))).toEqual({
      [registry]: 'r',
      'default-route-openshift-image-registry.apps.one.example.com': 'r',
    })
  })

  it('is made of all Secrets of the puller, the later over the earlier', () => {
    const cluster = own(withRegistry(), { a: '1', b: '1' })
    cluster.puller = {
      ...namesake(''),
      imagePullSecrets: [{ name: 'puller-dockercfg' }, {}, { name: 'second' }],
    }
    cluster.putSecret('openshift-machine-config-operator/second', dockercfg, {
      '.dockercfg': JSON.stringify(logins({ b: '2' })),
    })
    expect(said(cluster)).toEqual({ a: '1', b: '2' })
  })

  it('has its hosts in order and all fields', () => {
    const verdict = registryPullSecret(global(own(withRegistry(), { b: '1' }), { a: '2' }).facts())
    expect(verdict.state === 'good' && text(verdict.value)).toBe(
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"2"},"b":{"username":"","password":"","email":"","auth":"1"}}}',
    )
  })

  it('is not there without a registry, a puller, or a login', () => {
    expect(said(new Cluster())).toBe('absent')
    const noPuller = withRegistry()
    noPuller.puller = undefined
    expect(said(noPuller)).toBe('absent')
    expect(said(withRegistry())).toBe('absent')
    const annotations = { 'machinist.dev/remove': 'true' }
    const removed = own(withRegistry(), { a: '1' })
    removed.puller = { ...namesake('x'), metadata: { name: 'x', annotations } }
    expect(said(removed)).toBe('absent')
  })

  it.each([
    [
      'no Secret of the puller',
      (c: Cluster) => c.secrets.delete(puller),
      'Missing: Secret openshift-machine-config-operator/puller-dockercfg is not there: bring it back',
    ],
    [
      'another key',
      (c: Cluster) => c.putSecret(puller, dockercfg, { x: '' }),
      'MissingKey: Secret openshift-machine-config-operator/puller-dockercfg has no key .dockercfg',
    ],
    [
      'no pull secret',
      (c: Cluster) => c.secrets.delete(pullSecret),
      'Missing: Secret openshift-config/pull-secret is not there: bring it back',
    ],
    [
      'another type',
      (c: Cluster) => c.putSecret(pullSecret, 'Opaque', { '.dockerconfigjson': '{}' }),
      'WrongType: Secret openshift-config/pull-secret is of type Opaque: make it anew with type kubernetes.io/dockerconfigjson',
    ],
    [
      'an empty one',
      (c: Cluster) => c.putSecret(pullSecret, dockerconfigjson, { '.dockerconfigjson': '' }),
      'Empty: Secret openshift-config/pull-secret, key .dockerconfigjson: is empty: write {"auths":{}} if there shall be no logins',
    ],
    [
      'no JSON',
      (c: Cluster) => c.putSecret(pullSecret, dockerconfigjson, { '.dockerconfigjson': 'CANARY' }),
      'NotJSON: Secret openshift-config/pull-secret, key .dockerconfigjson: is not a JSON object',
    ],
    [
      'no domain',
      (c: Cluster) => (c.dns = { is: 'nothing' }),
      'Missing: DNS cluster does not say spec.baseDomain: set it',
    ],
    [
      'an unknown domain',
      (c: Cluster) => (c.dns = unreachable),
      'NotReachable: the API does not say',
    ],
  ])('is bad: %s', (_, spoil, message) => {
    const cluster = own(withRegistry(), { a: '1' })
    spoil(cluster)
    expect(said(cluster)).toBe(message)
  })
})
