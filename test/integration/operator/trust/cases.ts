import { afterEach, beforeAll, expect, it } from 'vitest'
import { sameJson } from '@machinist/core/encoding/json'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { base64, ca, expiredCA, text } from '@machinist/testing/certificates/certificates'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import type { Place } from '../../../../src/operator/trust/cluster.fixture.ts'
import * as loop from './running-loop.ts'

const digests = 'machinist.dev/trust-digests'
const rotate = 'machineconfiguration.openshift.io/service-ca-rotate'
const operator = 'openshift-machine-config-operator'

/** Runs on the embedded API server and on a real one. */
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
    await loop.makeNamespaces(client)
  })
  afterEach(async () => {
    await running?.stop()
    running = undefined
    await loop.cleanUp(client)
  })

  const put = (place: Place, content: string): Promise<void> =>
    loop.putInput(client, place, content)
  const current = () => loop.getControllerConfig(client)
  const inputs = async (): Promise<string[]> => loop.inputLines((await current())!)
  const expectConditions = (...lines: readonly string[]): Promise<void> =>
    until(`the conditions are ${lines.join(', ')}`, async () => {
      const found = await inputs()
      return lines.every((line) => found.includes(line))
    })
  const has = (field: 'kubeAPIServerServingCAData' | 'additionalTrustBundle', pem: string | null) =>
    loop.untilControllerConfig(client, `${field} is written`, ({ spec }) =>
      pem === null ? spec[field] === null : text(spec[field]) === pem,
    )

  it('creates the ControllerConfig from the sources of a plain cluster, and follows them', async () => {
    await put('kubelet', a)
    running = loop.runTrust(client)
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

    await loop.removeInput(client, 'user')
    await has('additionalTrustBundle', null)
    expect(await inputs()).toEqual([])
  })

  it('writes nothing without changes', async () => {
    await put('kubelet', a)
    await put('user', a)
    running = loop.runTrust(client)
    const before = await has('additionalTrustBundle', a)
    await loop.putInput(client, 'kubelet', a, { something: 'else' })
    await put('user', b)
    const after = await has('additionalTrustBundle', b)
    expect(after.metadata.generation).toBe(before.metadata.generation! + 1)
    await running.stop()
    running = loop.runTrust(client)
    await put('user', c)
    const last = await has('additionalTrustBundle', c)
    expect(last.metadata.generation).toBe(before.metadata.generation! + 2)
  })

  it('keeps the last valid values, reports invalid sources, and publishes the others', async () => {
    await put('kubelet', a)
    await put('user', a)
    await put('managed', a)
    running = loop.runTrust(client)
    await has('additionalTrustBundle', a)

    await put('kubelet', `${a}${b.slice(0, 300)}`)
    await put('managed', expiredCA)
    await put('user', b)
    const { spec } = await has('additionalTrustBundle', b)
    expect(text(spec.kubeAPIServerServingCAData)).toBe(a)
    await expectConditions(
      'kubelet-client-ca: True BrokenPEM',
      'registry-cas-managed: True Expired',
    )
    const { status } = (await current())!
    const condition = status?.conditions?.find(({ reason }) => reason === 'BrokenPEM')
    expect(condition?.message).toBe(
      `ConfigMap openshift-config-managed/kube-apiserver-client-ca, key ca-bundle.crt: line ${a.split('\n').length}: PEM block "CERTIFICATE" has no END line; write the whole file again`,
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
    await expectConditions(
      'kubelet-client-ca: False AsExpected',
      'registry-cas-managed: False AsExpected',
    )
  })

  it('removes trust only on purpose, not when a source disappears', async () => {
    await put('kubelet', a)
    running = loop.runTrust(client)
    await has('kubeAPIServerServingCAData', a)
    await loop.removeInput(client, 'kubelet')
    await expectConditions('kubelet-client-ca: True Missing')
    expect(text((await current())!.spec.kubeAPIServerServingCAData)).toBe(a)
    await loop.putInput(client, 'kubelet', a, { 'machinist.dev/remove': 'true' })
    await has('kubeAPIServerServingCAData', null)
    await expectConditions('kubelet-client-ca: False AsExpected')
    expect(await running.told('ControllerConfig')).toContain('Normal InputRemoved')
  })

  it('keeps the last valid values when the ControllerConfig is deleted while an input is invalid', async () => {
    await put('kubelet', a)
    await put('user', b)
    running = loop.runTrust(client)
    const { metadata } = await has('additionalTrustBundle', b)
    await put('user', 'garbage')
    await expectConditions('trust-bundle: True NotPEM')
    // Another controller may create it again.
    await loop.recreateControllerConfig(client)
    const created = await loop.untilControllerConfig(
      client,
      'the trust fields are written again',
      (config) =>
        config.metadata.uid !== metadata.uid &&
        config.metadata.annotations?.[digests] !== undefined &&
        loop.inputLines(config).length > 0,
    )
    expect([
      text(created.spec.kubeAPIServerServingCAData),
      text(created.spec.additionalTrustBundle),
    ]).toEqual([a, b])
    expect(loop.inputLines(created)).toEqual(['trust-bundle: True NotPEM'])
  })

  it('publishes the CAs of the API server when they have settled, with a pulse of one minute', async () => {
    const clock = new VirtualClock(Date.parse('2026-03-01T00:00:00Z'))
    await put('apiServer', a)
    running = loop.runTrust(client, clock)
    const state = async (): Promise<string> => {
      const config = await current()
      const key = { namespace: operator, name: 'kubeconfig-data' }
      const stored = await client.get(configMaps, key).catch(() => undefined)
      const pem = text(stored?.binaryData?.['ca-bundle.crt'])
      return `${pem === a ? 'A' : pem === a + b ? 'AB' : '-'} ${config?.metadata.annotations?.[rotate]}`
    }
    /** Advances the clock, and waits for the state. */
    const advanceTo = async (seconds: number, line: string): Promise<void> => {
      await clock.advance(seconds * 1000)
      await until(`it is ${line}`, async () => {
        await clock.advance(10)
        return (await state()) === line
      })
    }
    await advanceTo(1, 'A true')
    await advanceTo(70, 'A false')
    const before = (await current())!.metadata.annotations![digests]
    await put('apiServer', a + c)
    await until('the change is pending', async () => {
      await clock.advance(10)
      const { items } = await client.list(configMaps, { namespace: operator })
      return items.some(({ metadata }) => metadata.annotations?.['machinist.dev/pending'])
    })
    await put('apiServer', a + b)
    await advanceTo(30, 'A false')
    await advanceTo(60, 'AB true')
    await advanceTo(70, 'AB false')
    expect((await current())!.metadata.annotations![digests]).not.toBe(before)
  })

  it('merges the sources of OpenShift, and never exposes secrets', async () => {
    await loop.installOpenShift(client)
    await loop.setOpenShiftObject(client, 'Image', {
      additionalTrustedCA: { name: 'registry-cas' },
    })
    await loop.setOpenShiftObject(client, 'Proxy', { trustedCA: { name: 'proxy-ca' } })
    await loop.setOpenShiftObject(client, 'DNS', { baseDomain: 'one.example.com' })
    await loop.setOpenShiftObject(client, 'Infrastructure', {})
    await loop.setOpenShiftObject(client, 'ClusterOperator', {}, 'image-registry')
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
    running = loop.runTrust(client)

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

    // Invalid credentials: the last valid ones stay, and other inputs still apply.
    const key = { namespace: 'openshift-config', name: 'pull-secret' }
    const garbage = { '.dockerconfigjson': base64('{"TOPSECRET3":{}}') }
    await client.patch(secrets, key, mergePatch({ data: garbage }))
    await expectConditions('pull-secret: True NotJSON')
    await put('user', c)
    const kept = await has('additionalTrustBundle', c + b)
    expect(text(kept.spec.internalRegistryPullSecret)).toContain('TOPSECRET1')
    const desired = { data: { '.dockerconfigjson': login('TOPSECRET4') } }
    await client.patch(secrets, key, mergePatch(desired))
    await loop.untilControllerConfig(client, 'the new login is written', (config) =>
      text(config.spec.internalRegistryPullSecret).includes('TOPSECRET4'),
    )

    // A dangling reference keeps the CAs; removing the reference removes them.
    await loop.removeInput(client, 'ours')
    await expectConditions('registry-cas-user: True Missing')
    expect(await merged()).toHaveProperty(['quay.example'])
    await loop.setOpenShiftObject(client, 'Image', {})
    await loop.removeInput(client, 'managed')
    await until('it is emptied', async () => Object.keys((await merged()) ?? {}).length === 0)
    await loop.setOpenShiftObject(client, 'Proxy', {})
    await has('additionalTrustBundle', c)

    await running.events.flush()
    const events = await Array.fromAsync(client.listAll(coreEvents))
    const { status, metadata } = (await current())!
    const output =
      JSON.stringify([events, status, metadata]) + running.logged + running.metrics.text()
    expect(output).toContain('pull-secret')
    expect(output).not.toMatch(/TOPSECRET|VE9QU0VDUkVU/)
  })
}
