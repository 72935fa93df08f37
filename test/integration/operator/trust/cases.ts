import { afterEach, beforeAll, expect, it } from 'vitest'
import { sameJson } from '@machinist/core/json'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { until } from '@machinist/testing/until'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { base64, ca, expiredCA, text } from '@machinist/testing/certificates'
import type { Place } from '../../../../src/operator/trust/cluster.fixture.ts'
import * as world from './world.ts'

const digests = 'machinist.dev/trust-digests'
const rotate = 'machineconfiguration.openshift.io/service-ca-rotate'
const operator = 'openshift-machine-config-operator'

/** What the trust loop does to a cluster; the same on the embedded API server and on a real one. */
export function trustCases(client: KubeClient): void {
  let running: RunningControllers | undefined
  let a: string
  let b: string
  let c: string

  beforeAll(async () => {
    ;[a, b, c] = (await Promise.all(['A', 'B', 'C'].map((name) => ca(name)))) as [
      string,
      string,
      string,
    ]
    await installDefinitions(client)
    await world.makeNamespaces(client)
  })
  afterEach(async () => {
    await running?.stop()
    running = undefined
    await world.cleanUp(client)
  })

  const put = (place: Place, content: string): Promise<void> => world.put(client, place, content)
  const current = () => world.controllerConfig(client)
  const inputs = async (): Promise<string[]> => world.inputsOf((await current())!)
  const isSaid = (...lines: readonly string[]): Promise<void> =>
    until(`the ControllerConfig says ${lines.join(', ')}`, async () => {
      const said = await inputs()
      return lines.every((line) => said.includes(line))
    })
  const has = (field: 'kubeAPIServerServingCAData' | 'additionalTrustBundle', pem: string | null) =>
    world.handedOn(client, `${field} is handed on`, ({ spec }) =>
      pem === null ? spec[field] === null : text(spec[field]) === pem,
    )

  it('makes the ControllerConfig from what a plain cluster gives, and follows it', async () => {
    await put('kubelet', a)
    running = world.follow(client)
    const { metadata, spec } = await has('kubeAPIServerServingCAData', a)
    expect(spec).toMatchObject({
      kubeAPIServerServingCAData: base64(a),
      rootCAData: null,
      cloudProviderCAData: null,
      additionalTrustBundle: null,
      clusterDNSIP: '',
      infra: null,
    })
    expect(Object.keys(JSON.parse(metadata.annotations![digests]!) as object)).toEqual([
      'kubelet-client-ca',
    ])
    expect(metadata.annotations![rotate]).toBe('false')

    await put('user', `${b}\r\n`)
    await has('additionalTrustBundle', `${b}\r\n`)
    await put('kubelet', b + a)
    const after = await has('kubeAPIServerServingCAData', b + a)
    expect(after.metadata.annotations![digests]).not.toBe(metadata.annotations![digests])

    await world.remove(client, 'user')
    await has('additionalTrustBundle', null)
    expect(await inputs()).toEqual([])
  })

  it('writes nothing when nothing has changed', async () => {
    await put('kubelet', a)
    await put('user', a)
    running = world.follow(client)
    const before = await has('additionalTrustBundle', a)
    await world.put(client, 'kubelet', a, { something: 'else' })
    await put('user', b)
    const after = await has('additionalTrustBundle', b)
    expect(after.metadata.generation).toBe(before.metadata.generation! + 1)
    await running.stop()
    running = world.follow(client)
    await put('user', c)
    const last = await has('additionalTrustBundle', c)
    expect(last.metadata.generation).toBe(before.metadata.generation! + 2)
  })

  it('keeps what was good, says what is not, and hands on everything else', async () => {
    await put('kubelet', a)
    await put('user', a)
    await put('managed', a)
    running = world.follow(client)
    await has('additionalTrustBundle', a)

    await put('kubelet', `${a}${b.slice(0, 300)}`)
    await put('managed', expiredCA)
    await put('user', b)
    const { spec } = await has('additionalTrustBundle', b)
    expect(text(spec.kubeAPIServerServingCAData)).toBe(a)
    await isSaid('kubelet-client-ca: True BrokenPEM', 'registry-cas-managed: True Expired')
    const { status } = (await current())!
    const condition = status?.conditions?.find(({ reason }) => reason === 'BrokenPEM')
    expect(condition?.message).toBe(
      `ConfigMap openshift-config-managed/kube-apiserver-client-ca, key ca-bundle.crt: line ${a.split('\n').length}: PEM block "CERTIFICATE" has no END line: put the whole file there again`,
    )
    expect(running.metrics.text()).toContain(
      'machinist_operator_input_degraded{input="kubelet-client-ca"} 1',
    )
    expect(running.metrics.text()).toContain(
      'machinist_operator_input_degraded{input="trust-bundle"} 0',
    )
    expect(running.metrics.text()).toContain(
      'machinist_operator_input_not_after_seconds{input="trust-bundle"} 4070908800',
    )
    expect(await running.told('ConfigMap')).toEqual([
      'Warning InputDegraded',
      'Warning InputDegraded',
    ])

    await put('kubelet', b)
    await put('managed', b)
    await has('kubeAPIServerServingCAData', b)
    await isSaid('kubelet-client-ca: False AsExpected', 'registry-cas-managed: False AsExpected')
  })

  it('does not empty what vanished, unless somebody says so', async () => {
    await put('kubelet', a)
    running = world.follow(client)
    await has('kubeAPIServerServingCAData', a)
    await world.remove(client, 'kubelet')
    await isSaid('kubelet-client-ca: True Missing')
    expect(text((await current())!.spec.kubeAPIServerServingCAData)).toBe(a)
    await world.put(client, 'kubelet', a, { 'machinist.dev/remove': 'true' })
    await has('kubeAPIServerServingCAData', null)
    await isSaid('kubelet-client-ca: False AsExpected')
    expect(await running.told('ControllerConfig')).toContain('Normal InputRemoved')
  })

  it('keeps what was good when the ControllerConfig is deleted while an input is bad', async () => {
    await put('kubelet', a)
    await put('user', b)
    running = world.follow(client)
    const { metadata } = await has('additionalTrustBundle', b)
    await put('user', 'garbage')
    await isSaid('trust-bundle: True NotPEM')
    // Whoever makes it anew: it may also be the loop that knows nothing of trust.
    await world.remake(client)
    const made = await world.handedOn(
      client,
      'it is handed on anew',
      (config) =>
        config.metadata.uid !== metadata.uid &&
        config.metadata.annotations?.[digests] !== undefined &&
        world.inputsOf(config).length > 0,
    )
    expect([
      text(made.spec.kubeAPIServerServingCAData),
      text(made.spec.additionalTrustBundle),
    ]).toEqual([a, b])
    expect(world.inputsOf(made)).toEqual(['trust-bundle: True NotPEM'])
  })

  it('hands on the CAs of the API server when they have settled, and says so for a minute', async () => {
    const clock = new VirtualClock(Date.parse('2026-03-01T00:00:00Z'))
    await put('apiServer', a)
    running = world.follow(client, clock)
    const said = async (): Promise<string> => {
      const config = await current()
      const key = { namespace: operator, name: 'kubeconfig-data' }
      const stored = await client.get(configMaps, key).catch(() => undefined)
      const pem = text(stored?.binaryData?.['ca-bundle.crt'])
      return `${pem === a ? 'A' : pem === a + b ? 'AB' : '-'} ${config?.metadata.annotations?.[rotate]}`
    }
    /** Lets everything happen that can happen until then. */
    const during = async (seconds: number, line: string): Promise<void> => {
      await clock.advance(seconds * 1000)
      await until(`it is ${line}`, async () => {
        await clock.advance(10)
        return (await said()) === line
      })
    }
    await during(1, 'A true')
    await during(70, 'A false')
    const before = (await current())!.metadata.annotations![digests]
    await put('apiServer', a + c)
    await until('it is noted', async () => {
      await clock.advance(10)
      const { items } = await client.list(configMaps, { namespace: operator })
      return items.some(({ metadata }) => metadata.annotations?.['machinist.dev/pending'])
    })
    await put('apiServer', a + b)
    await during(30, 'A false')
    await during(60, 'AB true')
    await during(70, 'AB false')
    expect((await current())!.metadata.annotations![digests]).not.toBe(before)
  })

  it('merges what OpenShift gives, and tells nobody its secrets', async () => {
    await world.installOpenShift(client)
    await world.say(client, 'Image', { additionalTrustedCA: { name: 'registry-cas' } })
    await world.say(client, 'Proxy', { trustedCA: { name: 'proxy-ca' } })
    await world.say(client, 'DNS', { baseDomain: 'one.example.com' })
    await world.say(client, 'Infrastructure', {})
    await world.say(client, 'ClusterOperator', {}, 'image-registry')
    await put('user', a)
    await put('proxy', b)
    await put('managed', a)
    await put('ours', b)
    const login = (auth: string): string => base64(JSON.stringify({ auths: { x: { auth } } }))
    await client.create(secrets, {
      metadata: { namespace: 'openshift-config', name: 'pull-secret' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': login('TOPSECRET1') },
    })
    await client.create(secrets, {
      metadata: { namespace: operator, name: 'puller-dockercfg' },
      type: 'kubernetes.io/dockercfg',
      data: { '.dockercfg': base64('{"y":{"auth":"TOPSECRET2"}}') },
    })
    await client.create(serviceAccounts, {
      metadata: { namespace: operator, name: 'machine-os-puller' },
      imagePullSecrets: [{ name: 'puller-dockercfg' }],
    })
    running = world.follow(client)

    const { spec } = await has('additionalTrustBundle', a + b)
    expect(text(spec.internalRegistryPullSecret)).toBe(
      '{"auths":{"x":{"username":"","password":"","email":"","auth":"TOPSECRET1"},"y":{"username":"","password":"","email":"","auth":"TOPSECRET2"}}}',
    )
    const merged = async (): Promise<unknown> => {
      const name = 'merged-trusted-image-registry-ca'
      const key = { namespace: 'openshift-config-managed', name }
      return (await client.get(configMaps, key).catch(() => undefined))?.data
    }
    const both = { 'quay.example': b, 'registry.example..5000': a }
    await until('the CAs of all registries are there', async () => sameJson(await merged(), both))

    // Garbage where credentials are: they stay, and all else goes on.
    const key = { namespace: 'openshift-config', name: 'pull-secret' }
    const garbage = { '.dockerconfigjson': base64('{"TOPSECRET3":{}}') }
    await client.patch(secrets, key, mergePatch({ data: garbage }))
    await isSaid('pull-secret: True NotJSON')
    await put('user', c)
    const kept = await has('additionalTrustBundle', c + b)
    expect(text(kept.spec.internalRegistryPullSecret)).toContain('TOPSECRET1')
    const wanted = { data: { '.dockerconfigjson': login('TOPSECRET4') } }
    await client.patch(secrets, key, mergePatch(wanted))
    await world.handedOn(client, 'the new login is handed on', (config) =>
      text(config.spec.internalRegistryPullSecret).includes('TOPSECRET4'),
    )

    // A name that leads nowhere keeps everything; without a name all of it goes.
    await world.remove(client, 'ours')
    await isSaid('registry-cas-user: True Missing')
    expect(await merged()).toHaveProperty(['quay.example'])
    await world.say(client, 'Image', {})
    await world.remove(client, 'managed')
    await until('it is emptied', async () => Object.keys((await merged()) ?? {}).length === 0)
    await world.say(client, 'Proxy', {})
    await has('additionalTrustBundle', c)

    await running.events.flush()
    const events = await Array.fromAsync(client.listAll(coreEvents))
    const { status, metadata } = (await current())!
    const told =
      JSON.stringify([events, status, metadata]) + running.logged + running.metrics.text()
    expect(told).toContain('pull-secret')
    expect(told).not.toMatch(/TOPSECRET|VE9QU0VDUkVU/)
  })
}
