import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { systemClock } from '@machinist/core/clock'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { Config } from '@machinist/ignition/spec/config'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { ca } from '@machinist/testing/certificates/certificates'
import { CuttableProxy } from '@machinist/testing/servers/cuttable-proxy'
import { until } from '@machinist/testing/until'
import { controllerConfigs, machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { authorities } from '../../../src/server/answer/state.fixture.ts'
import { ClusterSource } from '../../../src/server/cluster/cluster-source.ts'
import { BootstrapCredential } from '../../../src/server/credential/bootstrap-credential.ts'
import { createCluster, createConfig, namespace, setPool } from './cluster-objects.ts'
import { TestServer } from './running-server.ts'

const requests: AuditedRequest[] = []
const api = await startServer((request) => void requests.push(request))
const proxy = await CuttableProxy.to(api.url)
const { client } = api
const clock = systemClock
let logged = ''
let server: TestServer

function throughProxy(): KubeClient {
  const headers = { authorization: 'Bearer administrators-token' }
  const connection = fixedConnection({ server: proxy.url, tls: {}, headers })
  const transport = new HttpTransport({ connection, clock, caller: 'config-server' })
  return new KubeClient({ transport, clock })
}

beforeAll(async () => {
  await createCluster(client)
  const tools = {
    client: throughProxy(),
    clock,
    random: seededRandom(1),
    log: createLogger({ clock, write: (line) => void (logged += line) }),
    metrics: new Metrics(),
  }
  const account = { namespace, name: 'node-bootstrapper' }
  server = await TestServer.start({
    source: new ClusterSource(tools),
    credential: new BootstrapCredential({ ...tools, account }),
  })
  await until('it is ready', () => server.notReady() === undefined)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await proxy.stop()
  await api[Symbol.asyncDispose]()
})

async function served(): Promise<Config> {
  const { code, text } = await server.get('/config/worker', {
    headers: { accept: 'application/vnd.coreos.ignition+json;version=3.5.0' },
  })
  if (code !== 200) throw new Error(text)
  return JSON.parse(text) as Config
}

function textAt({ storage }: Config, path: string): string {
  const source = storage?.files?.find((file) => file.path === path)?.contents?.source
  return Buffer.from(decodeDataUrl(source ?? '').bytes).toString()
}

const servedName = async (): Promise<unknown> => {
  const text = textAt(await served(), '/etc/machine-config-daemon/node-annotations.json')
  const key = 'machineconfiguration.openshift.io/currentConfig'
  return (JSON.parse(text) as Record<string, unknown>)[key]
}

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: Record<string, string> }]
  readonly users: readonly [{ user: { token: string } }]
}

describe('the server of a cluster', () => {
  it('serves the config of a pool, with a credential that the API server accepts', async () => {
    const config = await served()
    const text = textAt(config, '/etc/kubernetes/kubeconfig')
    const { clusters, users } = parseYaml(text, 'kubeconfig') as Kubeconfig
    expect(clusters[0].cluster).toEqual({
      server: 'https://api-int.example:6443',
      'certificate-authority-data': Buffer.from(authorities.apiServer).toString('base64'),
    })
    const { body } = await api.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      token: users[0].user.token,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    })
    expect(body).toMatchObject({
      status: { userInfo: { username: `system:serviceaccount:${namespace}:node-bootstrapper` } },
    })
  })

  it('serves a new config when a node runs it, and not before', async () => {
    const ran = { configuration: { name: 'rendered-worker-1' }, machineCount: 3 }
    await createConfig(client, 'rendered-worker-2')
    await setPool(client, 'rendered-worker-2', { ...ran, updatedMachineCount: 0 })
    expect(await servedName()).toBe('rendered-worker-1')
    await setPool(client, 'rendered-worker-2', { ...ran, updatedMachineCount: 1 })
    await until('it is served', async () => (await servedName()) === 'rendered-worker-2')
  })

  it('keeps the last config if the next one does not exist', async () => {
    const ran = { configuration: { name: 'rendered-worker-2' }, machineCount: 3 }
    await setPool(client, 'rendered-worker-3', { ...ran, updatedMachineCount: 3 })
    await until('it is looked for', () => logged.includes('rendered config does not exist'))
    expect(await servedName()).toBe('rendered-worker-2')
    await createConfig(client, 'rendered-worker-3')
    await until('it is served', async () => (await servedName()) === 'rendered-worker-3')
  })

  it('serves new CAs at once', async () => {
    const [kubelet, apiServer] = [await ca('kubelet 2'), await ca('API server 2')]
    const data = Buffer.from(authorities.kubelet + kubelet).toString('base64')
    const spec = { kubeAPIServerServingCAData: data }
    const key = { name: 'machine-config-controller' }
    await client.patch(controllerConfigs, key, mergePatch({ spec }))
    await client.patch(
      configMaps,
      { namespace, name: 'kubeconfig-data' },
      mergePatch({ data: { 'ca-bundle.crt': authorities.apiServer + apiServer } }),
    )
    const inKubeconfig = Buffer.from(authorities.apiServer + apiServer).toString('base64')
    await until('the new CA of the API server is served', async () =>
      textAt(await served(), '/etc/kubernetes/kubeconfig').includes(inKubeconfig),
    )
    expect(textAt(await served(), '/etc/kubernetes/kubelet-ca.crt')).toBe(
      authorities.kubelet + kubelet,
    )
  })

  it('leaves out an invalid CA, and logs it once', async () => {
    const spec = { cloudProviderCAData: Buffer.from('no certificate').toString('base64') }
    const key = { name: 'machine-config-controller' }
    await client.patch(controllerConfigs, key, mergePatch({ spec }))
    await until('it is logged', () => logged.includes('CAs are not served to new machines'))
    const config = await served()
    expect(config.storage!.files!.map(({ path }) => path)).not.toContain(
      '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
    )
    expect(logged).toContain('cloudProviderCAData: the bundle contains no certificate')
  })

  it('serves the last state, with its age, while the API server is away', async () => {
    proxy.cut()
    await until('the age is in the header', async () => {
      const { code, headers } = await server.get('/config/worker')
      expect(code).toBe(200)
      return Number(headers.age ?? 0) > 0
    })
    expect((await server.get('/healthz')).code).toBe(200)
    const ran = { configuration: { name: 'rendered-worker-3' }, machineCount: 3 }
    await createConfig(client, 'rendered-worker-4')
    await setPool(client, 'rendered-worker-4', { ...ran, updatedMachineCount: 3 })
    expect(await servedName()).toBe('rendered-worker-3')
    proxy.restore()
    await until(
      'the new config is served',
      async () => (await servedName()) === 'rendered-worker-4',
    )
    await until('the state is current', async () => {
      const { headers } = await server.get('/config/worker')
      return headers.age === undefined
    })
  })

  it('serves a new pool, and a deleted one no longer', async () => {
    expect((await server.get('/config/infra')).code).toBe(404)
    const spec = { configuration: { name: 'rendered-worker-4' } }
    await client.create(machineConfigPools, { metadata: { name: 'infra' }, spec })
    await until('it is served', async () => (await server.get('/config/infra')).code === 200)
    await client.remove(machineConfigPools, { name: 'infra' })
    await until('it is gone', async () => (await server.get('/config/infra')).code === 404)
  })

  it('reads each rendered config once it exists, and writes only the credential', () => {
    const own = requests.filter(({ userAgent }) => userAgent.includes('config-server'))
    const reads = own.filter(({ object }) => object?.resource === 'machineconfigs')
    expect(new Set(reads.map(({ verb }) => verb))).toEqual(new Set(['get']))
    const found = reads.filter(({ code }) => code === 200).map(({ object }) => object?.name)
    expect(found).toEqual([
      'rendered-worker-1',
      'rendered-worker-2',
      'rendered-worker-3',
      'rendered-worker-4',
    ])
    const writes = own.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
    expect(new Set(writes.map(({ uri }) => uri.replace(/\?.*/, '')))).toEqual(
      new Set([`/api/v1/namespaces/${namespace}/serviceaccounts/node-bootstrapper/token`]),
    )
  })
})
