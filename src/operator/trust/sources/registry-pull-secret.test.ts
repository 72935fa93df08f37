import { describe, expect, it } from 'vitest'
import { text } from '@machinist/testing/certificates/certificates'
import { Cluster, given, puller, pullSecret, unreachable } from '../cluster.fixture.ts'
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

const resultOf = (cluster: Cluster): unknown => {
  const result = registryPullSecret(cluster.facts())
  if (result.state === 'absent') return 'absent'
  if (result.state === 'invalid') return `${result.problem.reason}: ${result.problem.message}`
  const { auths } = JSON.parse(text(result.value)) as { auths: Record<string, { auth: string }> }
  return Object.fromEntries(Object.entries(auths).map(([host, { auth }]) => [host, auth]))
}

describe('the pull secret of the internal registry', () => {
  it('merges the logins of the registry and of the cluster', () => {
    expect(resultOf(global(own(withRegistry(), { a: '1' }), { b: '2' }))).toEqual({
      a: '1',
      b: '2',
    })
  })

  it('prefers the login of the cluster for the same host', () => {
    expect(resultOf(global(own(withRegistry(), { a: '1' }), { a: '2' }))).toEqual({ a: '2' })
  })

  it('has the same login for the internal and external name', () => {
    expect(resultOf(own(withRegistry(), { [registry]: 'r' }))).toEqual({
      [registry]: 'r',
      'default-route-openshift-image-registry.apps.one.example.com': 'r',
    })
  })

  it('merges all Secrets of the puller; later ones win', () => {
    const cluster = own(withRegistry(), { a: '1', b: '1' })
    cluster.puller = {
      ...namesake(''),
      imagePullSecrets: [{ name: 'puller-dockercfg' }, {}, { name: 'second' }],
    }
    cluster.putSecret('openshift-machine-config-operator/second', dockercfg, {
      '.dockercfg': JSON.stringify(logins({ b: '2' })),
    })
    expect(resultOf(cluster)).toEqual({ a: '1', b: '2' })
  })

  it('has sorted hosts and all fields', () => {
    const result = registryPullSecret(global(own(withRegistry(), { b: '1' }), { a: '2' }).facts())
    expect(result.state === 'valid' && text(result.value)).toBe(
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"2"},"b":{"username":"","password":"","email":"","auth":"1"}}}',
    )
  })

  it('is absent without a registry, a puller, or a login', () => {
    expect(resultOf(new Cluster())).toBe('absent')
    const noPuller = withRegistry()
    noPuller.puller = undefined
    expect(resultOf(noPuller)).toBe('absent')
    expect(resultOf(withRegistry())).toBe('absent')
    const annotations = { 'machinist.dev/remove': 'true' }
    const removed = own(withRegistry(), { a: '1' })
    removed.puller = { ...namesake('x'), metadata: { name: 'x', annotations } }
    expect(resultOf(removed)).toBe('absent')
  })

  it.each([
    [
      'no Secret of the puller',
      (c: Cluster) => c.secrets.delete(puller),
      'Missing: Secret openshift-machine-config-operator/puller-dockercfg is missing: create it again',
    ],
    [
      'another key',
      (c: Cluster) => c.putSecret(puller, dockercfg, { x: '' }),
      'MissingKey: Secret openshift-machine-config-operator/puller-dockercfg has no key .dockercfg: add it',
    ],
    [
      'no pull secret',
      (c: Cluster) => c.secrets.delete(pullSecret),
      'Missing: Secret openshift-config/pull-secret is missing: create it again',
    ],
    [
      'another type',
      (c: Cluster) => c.putSecret(pullSecret, 'Opaque', { '.dockerconfigjson': '{}' }),
      'WrongType: Secret openshift-config/pull-secret has type Opaque: recreate it with type kubernetes.io/dockerconfigjson',
    ],
    [
      'an empty one',
      (c: Cluster) => c.putSecret(pullSecret, dockerconfigjson, { '.dockerconfigjson': '' }),
      'Empty: Secret openshift-config/pull-secret, key .dockerconfigjson: it is empty; set {"auths":{}} for no logins',
    ],
    [
      'no JSON',
      (c: Cluster) => c.putSecret(pullSecret, dockerconfigjson, { '.dockerconfigjson': 'CANARY' }),
      'NotJSON: Secret openshift-config/pull-secret, key .dockerconfigjson: is not a JSON object; correct the Secret',
    ],
    [
      'no domain',
      (c: Cluster) => (c.dns = { type: 'absent' }),
      'Missing: DNS cluster: spec.baseDomain is missing; set it',
    ],
    ['an unknown domain', (c: Cluster) => (c.dns = unreachable), 'NotReachable: cannot read it'],
  ])('is invalid: %s', (_, spoil, message) => {
    const cluster = own(withRegistry(), { a: '1' })
    spoil(cluster)
    expect(resultOf(cluster)).toBe(message)
  })
})
