import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ca, expiredCA, today } from '@machinist/testing/certificates/certificates'
import type { ControllerConfigSpec } from '../../api/kinds/controller-config.ts'
import type { Cluster, Place } from './cluster.fixture.ts'
import { places, puller, pullSecret, wholeCluster } from './cluster.fixture.ts'

/** Every source with every kind of garbage: others still apply, the last valid value stays, and the problem is reported. */
const inputs = [
  ['kubelet', 'kubelet-client-ca', 'kubeAPIServerServingCAData'],
  ['server', 'mcs-ca', 'rootCAData'],
  ['cloud', 'cloud-ca', 'cloudProviderCAData'],
  ['user', 'trust-bundle', 'additionalTrustBundle'],
  ['proxy', 'trust-bundle', 'additionalTrustBundle'],
  ['managed', 'registry-cas-managed', 'imageRegistryBundleData'],
  ['ours', 'registry-cas-user', 'imageRegistryBundleUserData'],
  ['apiServer', 'api-server-ca', undefined],
] as const satisfies readonly (readonly [Place, string, keyof ControllerConfigSpec | undefined])[]

const good = await ca('good')
const better = await ca('better')
const next = new Map(
  await Promise.all(inputs.map(async ([place]) => [place, await ca(`${place} 2`)] as const)),
)
const key = '-----BEGIN PRIVATE KEY-----\nQ0FOQVJZ\n-----END PRIVATE KEY-----\n'

const bad = [
  ['garbage', 'hello, CANARY', 'NotPEM'],
  ['nothing', '', 'Empty'],
  ['only expired certificates', expiredCA, 'Expired'],
  ['1 MB of garbage', 'CANARY '.repeat(149_000), 'NotPEM'],
  ['1 MB of comments', `${'# CANARY\n'.repeat(115_000)}${good}`, 'TooLarge'],
  ['more than 1 MB', `${good}${'#'.repeat(1_048_576)}`, 'TooLarge'],
  ['a truncated file', `${good}${better.slice(0, 300)}`, 'BrokenPEM'],
  ['DER', new Uint8Array(new X509Certificate(good).raw), 'NotPEM'],
  ['a private key', `${good}${key}`, 'BrokenPEM'],
] as const

const harmless = [
  ['duplicates', good + good],
  ['another order', better + good],
  ['CRLF', (good + better).replaceAll('\n', '\r\n')],
  ['an expired certificate among others', expiredCA + good],
] as const

/** The content that nodes get. */
const handedOn = (cluster: Cluster, place: Place): string | undefined => {
  const field = inputs.find(([one]) => one === place)![2]
  if (field) return JSON.stringify(cluster.controllerConfig?.spec[field])
  const { binaryData } = cluster.configMaps.get(
    'openshift-machine-config-operator/kubeconfig-data',
  )!
  return binaryData!['ca-bundle.crt']
}

/** All base64 values, decoded. */
const plain = (field: string): string =>
  (field.match(/[A-Za-z0-9+/]{40,}=*/g) ?? [])
    .map((part) => Buffer.from(part, 'base64').toString())
    .join('')

/** Long enough for all delays. */
const settled = (cluster: Cluster): ReturnType<Cluster['settle']> => {
  cluster.settle()
  cluster.now += 60_000
  cluster.settle()
  cluster.now += 60_000
  return cluster.settle()
}

describe.each(inputs)('%s', (place, input) => {
  // Only fields share one object.
  const isField = place !== 'apiServer'
  it.each(bad.filter(([what]) => isField || what !== '1 MB of comments'))(
    'with %s',
    (what, content, reason) => {
      const cluster = wholeCluster()
      settled(cluster)
      const before = handedOn(cluster, place)
      for (const [other, pem] of next) cluster.put(other, pem)
      cluster.put(place, content)
      const { reports } = settled(cluster)

      expect(handedOn(cluster, place) === before).toBe(true)
      const report = reports.find((one) => one.input === input)!
      expect(report).toMatchObject({ state: 'invalid', problem: { reason } })
      const [object, key] = places[place]
      // If only the sum is too large, no single key is invalid.
      const isOneKey = what !== '1 MB of comments'
      expect(report.problem?.message).toContain(isOneKey ? `${object}, key ${key}: ` : 'ConfigMap')
      expect(report.problem?.about?.name).toBe(isOneKey ? object.split('/')[1] : undefined)
      expect(JSON.stringify(reports)).not.toContain('CANARY')
      for (const [other, name] of inputs) {
        if (name === input) continue
        expect(plain(handedOn(cluster, other)!)).toContain(next.get(other))
        expect(reports.find((one) => one.input === name)?.state).toBe('valid')
      }
    },
  )

  it.each(harmless)('with %s is delivered unchanged', (_, content) => {
    const cluster = wholeCluster()
    settled(cluster)
    cluster.put(place, content)
    const { reports } = settled(cluster)
    expect(reports.filter(({ state }) => state !== 'valid')).toEqual([])
    expect(plain(handedOn(cluster, place)!)).toContain(content)
  })

  it('without the key', () => {
    const cluster = wholeCluster()
    settled(cluster)
    const before = handedOn(cluster, place)
    cluster.put(place, undefined)
    const { reports } = settled(cluster)
    const report = reports.find((one) => one.input === input)!
    // Clouds may have no CAs, and each registry is a key.
    const isOptional = place === 'cloud' || place === 'managed' || place === 'ours'
    expect(report.state).toBe(isOptional ? 'absent' : 'invalid')
    expect(handedOn(cluster, place) === before).toBe(!isOptional)
    const reason = isOptional ? undefined : 'MissingKey'
    expect(report.problem?.reason).toBe(reason)
  })

  it('is deleted', () => {
    const cluster = wholeCluster()
    settled(cluster)
    const before = handedOn(cluster, place)
    cluster.remove(place)
    const { reports } = settled(cluster)
    const report = reports.find((one) => one.input === input)!
    const isOptional = ['cloud', 'user', 'managed'].includes(place)
    expect(report.state).toBe(place === 'user' ? 'valid' : isOptional ? 'absent' : 'invalid')
    expect(handedOn(cluster, place) === before).toBe(!isOptional)
  })
})

describe('pull secrets', () => {
  const dockerconfigjson = 'kubernetes.io/dockerconfigjson'
  const auths = '{"auths":{"x":{"auth":"CANARY"}}}'
  it.each([
    ['garbage', pullSecret, dockerconfigjson, { '.dockerconfigjson': 'CANARY' }, 'NotJSON'],
    ['nothing', pullSecret, dockerconfigjson, { '.dockerconfigjson': '' }, 'Empty'],
    [
      '1 MB',
      pullSecret,
      dockerconfigjson,
      { '.dockerconfigjson': 'CANARY'.repeat(170_000) },
      'NotJSON',
    ],
    [
      'a truncated file',
      pullSecret,
      dockerconfigjson,
      { '.dockerconfigjson': auths.slice(0, 25) },
      'NotJSON',
    ],
    [
      'another shape',
      pullSecret,
      dockerconfigjson,
      { '.dockerconfigjson': '{"CANARY":{}}' },
      'NotJSON',
    ],
    ['another type', pullSecret, 'Opaque', { '.dockerconfigjson': auths }, 'WrongType'],
    ['another key', pullSecret, dockerconfigjson, { other: auths }, 'MissingKey'],
    [
      'garbage for the puller',
      puller,
      'kubernetes.io/dockercfg',
      { '.dockercfg': 'CANARY' },
      'NotJSON',
    ],
    ['another key for the puller', puller, 'kubernetes.io/dockercfg', { x: '' }, 'MissingKey'],
  ])('with %s', (_, secret, type, data, reason) => {
    const cluster = wholeCluster()
    settled(cluster)
    const before = cluster.controllerConfig!.spec.internalRegistryPullSecret
    cluster.putSecret(secret, type, data)
    for (const [other, pem] of next) cluster.put(other, pem)
    const { reports } = settled(cluster)
    const { spec } = cluster.controllerConfig!
    expect(spec.internalRegistryPullSecret).toBe(before)
    expect(before).toMatch(/^[A-Za-z0-9+/]{40,}/)
    expect(spec.kubeAPIServerServingCAData).toBe(
      Buffer.from(next.get('kubelet')!).toString('base64'),
    )
    const report = reports.find(({ input }) => input === 'pull-secret')
    expect(report).toMatchObject({ state: 'invalid', problem: { reason } })
    expect(report?.problem?.message).toContain(`Secret ${secret}`)
    expect(JSON.stringify(reports)).not.toContain('CANARY')
  })

  it('in another order are equal', () => {
    const cluster = wholeCluster()
    settled(cluster)
    const before = cluster.controllerConfig!.spec.internalRegistryPullSecret
    cluster.putSecret(pullSecret, dockerconfigjson, {
      '.dockerconfigjson':
        '{\r\n "auths": { "quay.example": {"email":"", "auth":"CANARY-2"} } }\r\n',
    })
    settled(cluster)
    expect(cluster.controllerConfig!.spec.internalRegistryPullSecret).toBe(before)
  })
})

describe('time', () => {
  it('makes an input invalid when its last certificate expires, and removes nothing from nodes', async () => {
    const cluster = wholeCluster()
    cluster.put('kubelet', await ca('short', today + 3600_000))
    const first = settled(cluster)
    expect(first.requeueAfterMs).toBe(3600_000 + 1000 - 120_000)
    const before = handedOn(cluster, 'kubelet')
    cluster.now = today + 3601_000
    const { reports } = cluster.settle()
    expect(reports[0]).toMatchObject({ state: 'invalid', problem: { reason: 'Expired' } })
    expect(handedOn(cluster, 'kubelet')).toBe(before)
  })
})
