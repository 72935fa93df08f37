import { Agent } from 'node:https'
import { toYaml } from '@machinist/core/encoding/yaml'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { Informer } from '@machinist/kube/informer/informer'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import {
  clientSigner,
  opensslRequest,
  requestObject,
} from '@machinist/testing/certificates/kubelet-request'
import { until } from '@machinist/testing/until'
import { expect } from 'vitest'
import { machineConfigPools, trustRotations } from '../../../src/api/kinds/resources.ts'
import { configMaps as sources, names, secrets as fixedSecrets } from '../../../src/api/names.ts'
import { images } from '../../../src/api/openshift-config.ts'
import { newTokenSecret } from '../../../src/fleet/provisioning/token-rotation.ts'
import { userDataKey } from '../../../src/fleet/provisioning/user-data-key.ts'
import { createPageGuard } from '../../../src/process/page-guard.ts'
import type { TrustCluster } from '../trust/cluster.ts'
import type { ConfigServer } from './config-server.ts'
import { startConfigServer } from './config-server.ts'
import { open, tokenOf } from './identities.ts'
import type { MachinePointer } from './machine-pointer.ts'
import { bootstrapTokenIn, readPointer } from './machine-pointer.ts'
import type { Scenario } from './scenario.ts'
import { clientAs } from './scenario.ts'
import type { Stage } from './stage.ts'

const host = 'api-int.first.example'

/** A machine joins with nothing but the user data of its pool. */
export const joiningMachine: Scenario = async (stage, cluster) => {
  await serverCertificate(stage, cluster)
  const pointer = readPointer(await userDataOf(stage, cluster, 'worker'))
  expect(pointer.source).toBe(`https://${host}:22623/config/worker`)
  await using server = await startConfigServer(stage)
  const { code, body } = await server.respond(pointer)
  expect(code).toBe(200)
  await requestCertificate(stage, cluster, bootstrapTokenIn(body))
  await singleUse(stage, pointer, server)
  await refusals(stage, pointer, server)
  await metrics(stage)
}

/** The operator creates the TrustRotation, the signer issues the certificate, and user data follows. */
async function serverCertificate(stage: Stage, cluster: TrustCluster): Promise<void> {
  const { client } = stage
  const infrastructure = { status: { apiServerInternalURI: `https://${host}:6443` } }
  await cluster.say({ infrastructure: toYaml(infrastructure) })
  // As documented, the certificate of another owner is handed over.
  const labels = { 'auth.openshift.io/managed-certificate-type': 'target' }
  await client.patch(secrets, fixedSecrets.serverTLS, mergePatch({ metadata: { labels } }))
  const rotation = { name: names.serverRotation }
  await cluster.time.until('the rotation is completed', async () => {
    const found = await ignoreNotFound(client.get(trustRotations, rotation))
    return found?.status?.phase === 'Completed'
  })
  const { namespace, name } = sources.serverCA
  await client.remove(configMaps, { namespace, name })
  await cluster.time.until('the bundle is recreated', async () => {
    return (await ignoreNotFound(client.get(configMaps, { namespace, name }))) !== undefined
  })
  // A rotation waits for user data, and later for machines.
  const notAfter = { 'auth.openshift.io/certificate-not-after': null }
  const request = mergePatch({ metadata: { annotations: notAfter } })
  await client.patch(secrets, fixedSecrets.serverCA, request)
  await cluster.time.until('the user data of all pools has the new CA', async () => {
    const { status } = await client.get(trustRotations, rotation)
    const { total = 0, trusting } = status?.userData ?? {}
    return status?.phase === 'Preparing' && total > 0 && trusting === total
  })
}

async function userDataOf(stage: Stage, cluster: TrustCluster, pool: string): Promise<string> {
  const text = async (): Promise<string> => {
    const secret = await ignoreNotFound(stage.client.get(secrets, userDataKey(pool)))
    return Buffer.from(secret?.data?.['userData'] ?? '', 'base64').toString()
  }
  await cluster.time.until('the user data has a token', async () =>
    (await text()).includes('Bearer'),
  )
  return await text()
}

/** As a kubelet does it with its bootstrap kubeconfig: the request by name, then a watch of it. */
async function requestCertificate(
  stage: Stage,
  cluster: TrustCluster,
  token: string,
): Promise<void> {
  const transport = open(stage, {}, { authorization: `Bearer ${token}` })
  const machine = new KubeClient({ transport, clock: systemClock })
  const name = 'node-csr-joining'
  const { spec } = requestObject(
    opensslRequest('/O=system:nodes/CN=system:node:joining'),
    clientSigner,
  )
  await machine.create(certificateSigningRequests, { metadata: { name }, spec })
  await machine.get(certificateSigningRequests, { name })
  const stop = new AbortController()
  const informer = new Informer({
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: new Metrics(),
    resource: 'requests',
    source: machine.listWatch(certificateSigningRequests, { fields: `metadata.name=${name}` }),
  })
  const running = informer.start(stop.signal)
  await cluster.time.until('the certificate of the new machine is approved', async () => {
    const found = informer.get({ name }) as { status?: { conditions?: { type: string }[] } }
    return found?.status?.conditions?.[0]?.type === 'Approved'
  })
  stop.abort()
  await running
  transport.close()
}

/** Two machines use a single-use token at the same time. */
async function singleUse(
  { client }: Stage,
  pointer: MachinePointer,
  server: ConfigServer,
): Promise<void> {
  const pool = await client.get(machineConfigPools, { name: 'worker' })
  const token = 'single-use-'.padEnd(43, 'x')
  const limits = { isSingleUse: true }
  await client.create(secrets, newTokenSecret('once', pool, token, systemClock.now(), limits))
  const machines = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'].map((address) => ({
    address,
    token,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  }))
  // With open connections, the requests arrive together.
  const health = { ...pointer, source: new URL('/healthz', pointer.source).href }
  await Promise.all(machines.map((machine) => server.respond(health, machine)))
  const all = await Promise.all(machines.map((machine) => server.respond(pointer, machine)))
  expect(all.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401])
  for (const { agent } of machines) agent.destroy()
}

/** A client without a valid token is refused again and again. */
async function refusals(
  { client }: Stage,
  pointer: MachinePointer,
  server: ConfigServer,
): Promise<void> {
  const token = 'y'.repeat(43)
  const count = async (): Promise<number> => {
    const { items } = await client.list(coreEvents, { namespace: 'default' })
    const found = items.find(
      ({ reason, message }) => reason === 'ConfigRefused' && message?.includes('127.0.0.9'),
    )
    return found?.count ?? 0
  }
  for (const times of [1, 2]) {
    expect((await server.respond(pointer, { token, address: '127.0.0.9' })).code).toBe(401)
    await until('there is an event', async () => (await count()) === times)
    server.skip(11 * 60_000)
  }
}

/** On the host network, the server asks the API server who may read metrics. */
async function metrics(stage: Stage): Promise<void> {
  const tools = { client: clientAs(stage, 'server'), clock: systemClock, log: silentLogger }
  const guard = await createPageGuard(tools, true)
  const token = await tokenOf(stage.client, 'signer')
  const rejection = await guard.rejection('/metrics', `Bearer ${token}`, '127.0.0.1')
  expect(rejection?.[0]).toBe(403)
}

/** Where the cluster serves OpenShift's kinds, the server watches the hosts of the registry. */
export const serverOnOpenShift: Scenario = async (stage, cluster) => {
  await using server = await startConfigServer(stage)
  const status = { internalRegistryHostname: 'registry.internal:5000' }
  const [image, subresource] = [{ name: names.clusterConfig }, 'status' as const]
  await stage.client.patch(images, image, mergePatch({ status }), { subresource })
  await cluster.time.until('the server knows the registry', () =>
    server.registries().includes('registry.internal:5000'),
  )
}
