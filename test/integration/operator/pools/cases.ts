import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import { jsonPatch, mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import { controllerConfigs, machineConfigPools } from '../../../../src/api/kinds/resources.ts'
import { tokenIn } from '../../../../src/fleet/provisioning/pointer.ts'
import { TaskReports } from '../../../../src/operator/cluster-operator/tasks.ts'
import { machineAPIScope, userDataSource } from '../../../../src/operator/pools/caches.ts'
import { poolsController } from '../../../../src/operator/pools/pools.ts'
import { provisioningTokensController } from '../../../../src/operator/provisioning-tokens/provisioning-tokens.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { exampleControllerConfig } from '../../controllers/support/example-controller-config.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

const namespace = 'openshift-machine-api'
const provisioning = 'machinist-provisioning'
const managed = 'machineconfiguration.openshift.io/managed-ca-bundle-derived-from-configmap'
const ca = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

/** Runs on the embedded API server and on a real one. Each case continues from the state of the last one. */
export function poolsCases(client: KubeClient): void {
  let running: RunningControllers
  let reports: TaskReports

  beforeAll(async () => {
    await installDefinitions(client)
    await client.create(namespaces, { metadata: { name: provisioning } })
  })
  afterEach(() => running.stop())

  const run = (): void => {
    reports = new TaskReports()
    running = new RunningControllers(client, (given) => {
      const { follow, clock } = given
      const caches = {
        pools: follow(machineConfigPools),
        controllerConfigs: follow(controllerConfigs),
        userData: follow(secrets, { source: userDataSource(client, clock) }),
        machineAPI: follow(namespaces, { scope: machineAPIScope }),
        provisioning: follow(secrets, { scope: { namespace: provisioning } }),
      }
      return [
        poolsController(given, caches, { reports }),
        provisioningTokensController(given, caches, { reports: new TaskReports() }),
      ]
    })
  }
  const pool = (name: string): Promise<MachineConfigPool | undefined> =>
    ignoreNotFound(client.get(machineConfigPools, { name }))
  const userData = (name: string): Promise<Secret | undefined> =>
    ignoreNotFound(client.get(secrets, { namespace, name: `${name}-user-data-managed` }))
  const pointer = async (name: string): Promise<string> => {
    return decoded(await userData(name), 'userData')
  }
  const token = async (name: string): Promise<string> => {
    const key = { namespace: provisioning, name: `provisioning-token-${name}` }
    return decoded(await ignoreNotFound(client.get(secrets, key)), 'token')
  }
  const expectPointer = (name: string, part: string): Promise<void> =>
    until(`the pointer of ${name} has ${part}`, async () => (await pointer(name)).includes(part))
  const config = { name: 'machine-config-controller' }
  const changeConfig = (spec: object): Promise<unknown> =>
    client.patch(controllerConfigs, config, mergePatch({ spec }))
  const infra = (status: object): object => ({
    apiVersion: 'config.openshift.io/v1',
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    spec: {},
    status,
  })

  it('creates the built-in pools, even without a ControllerConfig', async () => {
    run()
    await until('there are two pools', async () => {
      return (await pool('master')) !== undefined && (await pool('worker')) !== undefined
    })
    expect((await pool('master'))!.metadata.labels).toEqual({
      'operator.machineconfiguration.openshift.io/required-for-upgrade': '',
      'machineconfiguration.openshift.io/mco-built-in': '',
      'pools.operator.machineconfiguration.openshift.io/master': '',
    })
    expect((await pool('worker'))!.spec).toMatchObject({
      machineConfigSelector: {
        matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
      },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
    })
    expect(await pool('arbiter')).toBeUndefined()
  })

  it("keeps the user's spec, restores labels, and creates deleted pools again", async () => {
    run()
    const spec = { paused: true, nodeSelector: { matchLabels: { mine: '' } } }
    const gone = { 'machineconfiguration.openshift.io/mco-built-in': null }
    const metadata = { labels: { ...gone, mine: 'stays' } }
    const key = { name: 'worker' }
    await client.patch(machineConfigPools, key, mergePatch({ spec, metadata }))
    const labelled = async (): Promise<Record<string, string>> =>
      (await pool('worker'))?.metadata.labels ?? {}
    await until('its label is back', async () =>
      Object.hasOwn(await labelled(), 'machineconfiguration.openshift.io/mco-built-in'),
    )
    expect(await labelled()).toEqual({
      mine: 'stays',
      'machineconfiguration.openshift.io/mco-built-in': '',
      'pools.operator.machineconfiguration.openshift.io/worker': '',
    })
    const { nodeSelector, paused } = (await pool('worker'))!.spec
    expect([paused, nodeSelector?.matchLabels]).toEqual([
      true,
      { mine: '', 'node-role.kubernetes.io/worker': '' },
    ])
    await client.remove(machineConfigPools, key)
    await until(
      'it is there again, as new',
      async () =>
        (await pool('worker'))?.spec.paused !== true && (await pool('worker')) !== undefined,
    )
    expect(await labelled()).not.toHaveProperty('mine')
  })

  it('writes user data beside the tokens without the Machine API', async () => {
    const { spec } = exampleControllerConfig('plain-kubernetes')
    const rootCAData = Buffer.from(ca).toString('base64')
    const apiServerInternalURI = 'https://api-int.c.example.com:6443'
    await client.create(controllerConfigs, {
      metadata: config,
      spec: { ...spec, rootCAData, infra: infra({ apiServerInternalURI }) as never },
    })
    run()
    await client.create(machineConfigPools, { metadata: { name: 'infra' }, spec: {} })
    await changeConfig({
      infra: infra({ apiServerInternalURI, controlPlaneTopology: 'HighlyAvailableArbiter' }),
    })
    await until('there is an arbiter', async () => (await pool('arbiter')) !== undefined)
    for (const name of ['master', 'worker', 'arbiter', 'infra']) {
      const key = { namespace: provisioning, name: `${name}-user-data-managed` }
      await until(`there is user data of ${name}`, async () => {
        const found = await ignoreNotFound(client.get(secrets, key))
        return tokenIn(decoded(found, 'userData')) === (await token(name))
      })
    }
    expect((await client.list(secrets, { namespace })).items).toEqual([])
  })

  it('creates the user data of every pool when the Machine API exists', async () => {
    run()
    await client.create(namespaces, { metadata: { name: namespace } })
    for (const name of ['master', 'worker', 'arbiter', 'infra']) {
      await expectPointer(name, `https://api-int.c.example.com:22623/config/${name}`)
    }
    const { metadata, type, data } = (await userData('infra'))!
    expect([type, data?.['disableTemplating'], metadata.labels]).toEqual([
      'Opaque',
      'dHJ1ZQo=',
      { [managed]: '' },
    ])
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        name: 'infra',
        uid: (await pool('infra'))!.metadata.uid,
      },
    ])
    expect(await pointer('infra')).toContain(Buffer.from(ca).toString('base64'))
    expect(tokenIn(await pointer('infra'))).toBe(await token('infra'))
  })

  it('removes the user data beside the tokens, and follows the token of a pool', async () => {
    const before = await token('infra')
    run()
    await until('the user data beside the tokens is gone', async () => {
      const { items } = await client.list(secrets, { namespace: provisioning })
      return items.every(({ type }) => type === 'machinist.dev/provisioning-token')
    })
    await client.remove(secrets, { namespace: provisioning, name: 'provisioning-token-infra' })
    await until('the pool has another token', async () => {
      const after = await token('infra')
      return after !== '' && after !== before && tokenIn(await pointer('infra')) === after
    })
    expect(await pointer('infra')).not.toContain(before)
  })

  it('rewrites only differences, and follows CA and address', async () => {
    const before = await userData('worker')
    run()
    await client.patch(
      secrets,
      { namespace, name: 'infra-user-data-managed' },
      mergePatch({ data: { userData: 'e30=', more: 'eA==' } }),
    )
    await expectPointer('infra', '/config/infra')
    expect(Object.keys((await userData('infra'))!.data!).toSorted()).toEqual([
      'disableTemplating',
      'userData',
    ])
    expect((await userData('worker'))!.metadata.resourceVersion).toBe(
      before!.metadata.resourceVersion,
    )
    const rotated = Buffer.from(`${ca}${ca}`).toString('base64')
    const platformStatus = { type: 'BareMetal', baremetal: { apiServerInternalIPs: ['fd00::5'] } }
    await changeConfig({ rootCAData: rotated, infra: infra({ platformStatus }) })
    await expectPointer('worker', 'https://[fd00::5]:22623/config/worker')
    expect(await pointer('worker')).toContain(rotated)

    // A value that becomes unknown is not removed.
    const unknown = jsonPatch([{ op: 'replace', path: '/spec/rootCAData', value: null }])
    await client.patch(controllerConfigs, config, unknown)
    await until('the missing CA is logged', () =>
      running.logged.includes('the CA of the machine config server is unknown'),
    )
    expect(await pointer('worker')).toContain(rotated)
  })

  it('adopts a Secret of an older release', async () => {
    const rootCAData = Buffer.from(ca).toString('base64')
    await changeConfig({ rootCAData })
    const metadata = { namespace, name: 'gpu-user-data-managed' }
    await client.create(secrets, { metadata, type: 'Opaque', data: { userData: 'e30=' } })
    run()
    await client.create(machineConfigPools, { metadata: { name: 'gpu' }, spec: {} })
    await expectPointer('gpu', '/config/gpu')
    expect((await userData('gpu'))!.metadata).toMatchObject({
      labels: { [managed]: '' },
      ownerReferences: [{ kind: 'MachineConfigPool', name: 'gpu' }],
    })
  })

  it('reports a rejected write, and proceeds with other pools', async () => {
    const metadata = { namespace, name: 'stuck-user-data-managed', labels: { [managed]: '' } }
    const data = { userData: 'e30=' }
    await client.create(secrets, { metadata, type: 'Opaque', data, immutable: true })
    run()
    await client.create(machineConfigPools, { metadata: { name: 'stuck' }, spec: {} })
    await until('it is reported', () => reports.list().length > 0)
    const [failure] = reports.list()
    expect(failure?.task).toBe('MachineConfigPools')
    expect(failure?.message).toMatch(
      /^the API server refused Secret openshift-machine-api\/stuck-user-data-managed \(422 Invalid\)/,
    )
    expect(await running.told('MachineConfigPool')).toEqual(['Warning ActionProhibited'])
    await client.create(machineConfigPools, { metadata: { name: 'later' }, spec: {} })
    await expectPointer('later', '/config/later')

    await client.remove(secrets, { namespace, name: metadata.name })
    await expectPointer('stuck', '/config/stuck')
    await until('nothing is reported any more', () => reports.list().length === 0)
    expect(reports.list()).toEqual([])
  })
}

const decoded = (secret: Secret | undefined, key: string): string =>
  Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
