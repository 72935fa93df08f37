import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ControllerConfig } from '../../../src/api/resources.ts'
import { controllerConfigs } from '../../../src/api/resources.ts'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { configMaps, nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport-http'
import type { Transport } from '@machinist/kube/transport'
import { runOperator } from '../../../src/operator/run-operator.ts'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../src/api/definitions.fixture.ts'
import { until } from '@machinist/testing/until'
import { installCluster } from './installed-cluster.ts'
import { ca } from '@machinist/testing/certificates'

/** Notes what is asked for, apart from lists and watches: those are how one waits. */
class Noting implements Transport {
  readonly asked: string[] = []
  readonly #inner: Transport

  constructor(inner: Transport) {
    this.#inner = inner
  }

  request: Transport['request'] = (request) => {
    const { method, path } = request
    const isList = method === 'GET' && /\/v1(\/namespaces\/[^/]+)?\/[^/]+$/.test(path)
    if (!isList) this.asked.push(`${method} ${path}`)
    return this.#inner.request(request)
  }

  stream: Transport['stream'] = (request) => this.#inner.stream(request)

  close = (): void => this.#inner.close()
}

const node = { name: 'worker-1' }

/** As kubelets do it all the time. */
function beat(clock: VirtualClock): Promise<unknown> {
  const lastHeartbeatTime = new Date(clock.now()).toISOString()
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime }]
  const patch = mergePatch({ status: { conditions } })
  return server.client.patch(nodes, node, patch, { subresource: 'status' })
}

let server: RunningServer
let transport: Noting
beforeAll(async () => {
  server = await startServer()
  await installDefinitions(server.client)
  await installCluster(server.client)
  await server.client.create(nodes, { metadata: node })
  const headers = { authorization: 'Bearer administrators-token' }
  const connection = fixedConnection({ server: server.url, tls: {}, headers })
  transport = new Noting(new HttpTransport({ connection, clock: systemClock }))
})
afterAll(async () => {
  transport.close()
  await server[Symbol.asyncDispose]()
})

it('a cluster in which nothing happens is only watched, and what happens then is seen', async () => {
  const clock = new VirtualClock(Date.now())
  await beat(clock)
  const client = new KubeClient({ transport, clock: systemClock })
  const tools = { client, clock, random: seededRandom(3), log: silentLogger }
  const stop = new AbortController()
  const running = runOperator({ ...tools, metrics: new Metrics(), version: '1.2.3' }, stop.signal)
  /** Each step gives real requests the time of one more. */
  const becomes = (what: string, stepMs: number, isSo: (one: ControllerConfig) => boolean) =>
    until(what, async () => {
      await clock.advance(stepMs)
      const { items } = await server.client.list(controllerConfigs)
      return items.some(isSo)
    })
  const said = (one: ControllerConfig, name: string): string | undefined =>
    one.metadata.annotations?.[`machineconfiguration.openshift.io/${name}`]
  try {
    await becomes('it is whole', 50, (one) => said(one, 'generated-by-version') === '1.2.3')
    await becomes('CAs are new', 50, (one) => said(one, 'service-ca-rotate') === 'true')
    await becomes('CAs are not new', 500, (one) => said(one, 'service-ca-rotate') === 'false')
    let steps = 0
    await becomes('nothing is left to do', 1000, () => ++steps > 60)
    transport.asked.splice(0)

    for (steps = 0; steps < 180; steps++) {
      await beat(clock)
      await clock.advance(10_000)
    }
    expect(transport.asked).toEqual([])

    const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
    const next = await ca('next')
    await server.client.patch(configMaps, source, mergePatch({ data: { 'ca-bundle.crt': next } }))
    const wanted = Buffer.from(next).toString('base64')
    await becomes('it is seen', 50, ({ spec }) => spec.kubeAPIServerServingCAData === wanted)
  } finally {
    stop.abort()
    await running
  }
})
