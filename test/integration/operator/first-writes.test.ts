import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { configMaps } from '@machinist/kube/kinds/core'
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
import { exampleControllerConfig } from '../controllers/support/example-controller-config.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { installCluster } from './installed-cluster.ts'

const path = '/apis/machineconfiguration.openshift.io/v1/controllerconfigs'

/** Creates a ControllerConfig of an older version of Machinist, without trust fields. */
async function createOlder({ client }: RunningServer): Promise<void> {
  const { spec } = exampleControllerConfig('openshift')
  const annotations = { 'machineconfiguration.openshift.io/generated-by-version': '0.1.0' }
  const metadata = { name: 'machine-config-controller', annotations }
  await client.create(controllerConfigs, { metadata, spec })
}

describe.each([
  ['in a new cluster', () => Promise.resolve(), `POST ${path}`],
  ['of an older version', createOlder, `PUT ${path}/machine-config-controller`],
] as const)('the first ControllerConfig %s', (_, prepare, first) => {
  let server: RunningServer
  let inner: Transport
  beforeAll(async () => {
    server = await startServer()
    await installDefinitions(server.client)
    await installCluster(server.client)
    await prepare(server)
    const headers = { authorization: 'Bearer administrators-token' }
    const connection = fixedConnection({ server: server.url, tls: {}, headers })
    inner = new HttpTransport({ connection, clock: systemClock })
  })
  afterAll(async () => {
    inner.close()
    await server[Symbol.asyncDispose]()
  })

  it('is written twice: once with the trust fields, once with the cluster facts', async () => {
    const writes: string[] = []
    const transport: Transport = {
      request: (request) => {
        const { method, path: requested } = request
        const isWrite =
          method !== 'GET' && requested.startsWith(path) && !requested.endsWith('/status')
        if (isWrite) writes.push(`${method} ${requested}`)
        return inner.request(request)
      },
      stream: (request) => inner.stream(request),
      close: () => inner.close(),
    }
    const client = new KubeClient({ transport, clock: systemClock })
    const tools = { client, clock: systemClock, random: seededRandom(3), log: silentLogger }
    const stop = new AbortController()
    const running = runOperator({ ...tools, metrics: new Metrics(), version: '1.2.3' }, stop.signal)
    const becomes = (what: string, isSo: (one: ControllerConfig) => boolean): Promise<void> =>
      until(what, async () => (await server.client.list(controllerConfigs)).items.some(isSo))
    try {
      await becomes('the ControllerConfig is complete', ({ metadata: { annotations = {} } }) =>
        Boolean(
          annotations['machineconfiguration.openshift.io/generated-by-version'] === '1.2.3' &&
          annotations['machinist.dev/trust-digests']?.includes('api-server-ca'),
        ),
      )
      // This change is applied after all earlier writes.
      const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
      const next = await ca('next')
      await server.client.patch(configMaps, source, mergePatch({ data: { 'ca-bundle.crt': next } }))
      const expected = Buffer.from(next).toString('base64')
      await becomes(
        'the next CA is written',
        (one) => one.spec.kubeAPIServerServingCAData === expected,
      )
    } finally {
      stop.abort()
      await running
    }
    const later = `PUT ${path}/machine-config-controller`
    expect(writes).toEqual([first, later, later])
  })
})
