import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { apply, mergePatch } from '@machinist/kube/patch'
import type { TrustRotationSpec } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import {
  readUserDataRecord,
  updatedRecord,
  userDataRecordData,
} from '../../../src/fleet/rotation/user-data-record.ts'
import { makeNamespace, place, RotationCluster } from './rotation-cluster.ts'

const minute = 60_000
const notAfter = 'auth.openshift.io/certificate-not-after'
const key = 'ECDSA-P256'
const spec: TrustRotationSpec = {
  signer: { ...place('server-ca'), key, validity: '87600h', refresh: '70080h' },
  bundle: place('server-bundle'),
  targets: [
    {
      ...place('server-tls'),
      key,
      usage: 'server',
      commonName: 'api-int.example.com',
      hostnames: ['api-int.example.com', '192.0.2.5'],
      validity: '87600h',
      refresh: '70080h',
    },
  ],
  userData: { ...place('user-data'), settle: '30m' },
}

let server: RunningServer
let cluster: RotationCluster

beforeAll(async () => {
  server = await startServer()
  await installDefinitions(server.client)
  await makeNamespace(server.client)
})
afterEach(() => cluster.clear())
afterAll(() => server[Symbol.asyncDispose]())

/** The operator observes that the user data of these pools contains the bundle, and of others what it recorded before. */
async function record(...pools: string[]): Promise<void> {
  const before = readUserDataRecord((await cluster.configMap('user-data'))?.data)
  const bundle = await cluster.fingerprints('server-bundle')
  const observed = new Map([
    ...[...before].map(([pool, authorities]) => [pool, [...authorities.keys()]] as const),
    ...pools.map((pool) => [pool, bundle] as const),
  ])
  const data = userDataRecordData(updatedRecord(before, observed, cluster.clock.now()))
  const metadata = place('user-data')
  const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
  await server.client.patch(configMaps, metadata, apply(object, { fieldManager: 'operator' }))
}

const signer = async (): Promise<string | undefined> =>
  (await cluster.certificates('server-tls'))[1]?.fingerprint

it('a new CA signs half an hour after the user data of every pool contains it', async () => {
  cluster = new RotationCluster(server)
  await cluster.rotation('kubelet', spec)
  void cluster.start()
  await cluster.phase('Completing')
  expect((await cluster.condition('trusted'))?.message).toBe(
    'the operator has not recorded the CAs in the user data of pools yet in ConfigMap keys/user-data',
  )
  const first = (await cluster.current('server-ca'))!.fingerprint
  await record('master', 'worker')
  await cluster.phase('Completed')
  expect(await signer()).toBe(first)

  await cluster.annotate('server-ca', { [notAfter]: null })
  await cluster.phase('Preparing')
  await cluster.rest()
  const second = (await cluster.current('server-ca'))!.fingerprint
  expect(await cluster.fingerprints('server-bundle')).toEqual([first, second].sort())
  await record('master')
  await cluster.rest(600_000)
  expect(await signer()).toBe(first)
  expect((await cluster.status())?.userData).toMatchObject({
    total: 2,
    trusting: 1,
    laggards: ['worker'],
  })
  expect(cluster.metrics.text()).toContain(
    'machinist_rotation_lagging_pools{rotation="kubelet"} 1\n',
  )
  await record('worker')
  await cluster.until('no pool lags', async () => {
    return (await cluster.status())?.userData?.trusting === 2
  })
  await cluster.rest(300_000)
  expect(await signer()).toBe(first)
  expect((await cluster.condition('progressing'))?.message).toMatch(
    /^machines may start with user data that lacks the current CA until /,
  )
  await cluster.until('the new CA has signed', async () => (await signer()) === second, minute)
  await cluster.until(
    'the old CA has left the bundle',
    async () => (await cluster.fingerprints('server-bundle')).length === 1,
    minute,
  )
  expect((await cluster.status())?.phase).toBe('Completing')
  await record('master', 'worker')
  await cluster.phase('Completed')
})

it('other host names are in the certificate at once, signed by the CA in use', async () => {
  cluster = new RotationCluster(server)
  await cluster.rotation('kubelet', spec)
  void cluster.start()
  await cluster.phase('Completing')
  const names = async (): Promise<readonly string[]> =>
    (await cluster.certificates('server-tls'))[0]?.ipAddresses ?? []
  expect(await names()).toEqual(['192.0.2.5'])
  const [target] = spec.targets!
  const hostnames = ['api-int.example.com', '192.0.2.5', 'fd00::5']
  const patch = mergePatch({ spec: { targets: [{ ...target!, hostnames }] } })
  await cluster.client.patch(trustRotations, { name: 'kubelet' }, patch)
  await cluster.until('it has the address', async () => (await names()).length === 2)
  expect(await names()).toEqual(['192.0.2.5', 'fd00::5'])
})
