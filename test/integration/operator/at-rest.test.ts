import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { configMaps, nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import type { Transport } from '@machinist/kube/transport/transport'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { until } from '@machinist/testing/until'
import { ca } from '@machinist/testing/certificates/certificates'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../src/api/kinds/resources.ts'
import { runOperator } from '../../../src/operator/run-operator.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { installCluster } from './installed-cluster.ts'

/** Records requests, except lists and watches. */
class RecordingTransport implements Transport {
  readonly recorded: string[] = []
  readonly #inner: Transport

  constructor(inner: Transport) {
    this.#inner = inner
  }

  request: Transport['request'] = (request) => {
    const { method, path } = request
    const isList = method === 'GET' && /\/v1(\/namespaces\/[^/]+)?\/[^/]+$/.test(path)
    if (!isList) this.recorded.push(`${method} ${path}`)
    return this.#inner.request(request)
  }

  stream: Transport['stream'] = (request) => this.#inner.stream(request)

  close = (): void => this.#inner.close()
}

const node = { name: 'worker-1' }

/** Updates the heartbeat of the Node, like a kubelet. */
function sendHeartbeat(clock: VirtualClock): Promise<unknown> {
  const lastHeartbeatTime = new Date(clock.now()).toISOString()
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime }]
  const patch = mergePatch({ status: { conditions } })
  return server.client.patch(nodes, node, patch, { subresource: 'status' })
}

let server: RunningServer
let transport: RecordingTransport
beforeAll(async () => {
  server = await startServer()
  await installDefinitions(server.client)
  await installCluster(server.client)
  await server.client.create(nodes, { metadata: node })
  const headers = { authorization: 'Bearer administrators-token' }
  const connection = fixedConnection({ server: server.url, tls: {}, headers })
  transport = new RecordingTransport(new HttpTransport({ connection, clock: systemClock }))
})
afterAll(async () => {
  transport.close()
  await server[Symbol.asyncDispose]()
})

it('the operator sends no requests while the cluster is idle, and still reacts to changes', async () => {
  const clock = new VirtualClock(Date.now())
  await sendHeartbeat(clock)
  const client = new KubeClient({ transport, clock: systemClock })
  const tools = { client, clock, random: seededRandom(3), log: silentLogger }
  const stop = new AbortController()
  const running = runOperator({ ...tools, metrics: new Metrics(), version: '1.2.3' }, stop.signal)
  /** Each step leaves time for one real request. */
  const becomes = (what: string, stepMs: number, isSo: (one: ControllerConfig) => boolean) =>
    until(what, async () => {
      await clock.advance(stepMs)
      const { items } = await server.client.list(controllerConfigs)
      return items.some(isSo)
    })
  const annotation = (one: ControllerConfig, name: string): string | undefined =>
    one.metadata.annotations?.[`machineconfiguration.openshift.io/${name}`]
  try {
    await becomes(
      'the ControllerConfig is complete',
      50,
      (one) => annotation(one, 'generated-by-version') === '1.2.3',
    )
    await becomes('CAs have rotated', 50, (one) => annotation(one, 'service-ca-rotate') === 'true')
    await becomes(
      'the rotation pulse is over',
      500,
      (one) => annotation(one, 'service-ca-rotate') === 'false',
    )
    let steps = 0
    await becomes('the operator is idle', 1000, () => ++steps > 60)
    transport.recorded.splice(0)

    for (steps = 0; steps < 180; steps++) {
      await sendHeartbeat(clock)
      await clock.advance(10_000)
    }
    expect(transport.recorded).toEqual([])

    const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
    const next = await ca('next')
    await server.client.patch(configMaps, source, mergePatch({ data: { 'ca-bundle.crt': next } }))
    const expected = Buffer.from(next).toString('base64')
    await becomes(
      'the change is applied',
      50,
      ({ spec }) => spec.kubeAPIServerServingCAData === expected,
    )
  } finally {
    stop.abort()
    await running
  }
})
