import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { ApiFailure } from '@machinist/kube/failure'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import type { ApiRequest, Transport } from '@machinist/kube/transport/transport'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { until } from '@machinist/testing/until'
import { ca, text } from '@machinist/testing/certificates/certificates'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import * as loop from './running-loop.ts'

const [a, b] = (await Promise.all(['A', 'B'].map((name) => ca(name)))) as [string, string]
const managed = '/api/v1/namespaces/openshift-config-managed/configmaps'

/** Rejects some requests, with messages that quote the request body. */
class RejectingTransport implements Transport {
  readonly recorded: ApiRequest[] = []
  rejects: (request: ApiRequest) => number | undefined = () => undefined
  readonly #inner: Transport

  constructor(inner: Transport) {
    this.#inner = inner
  }

  request: Transport['request'] = (request) => {
    this.recorded.push(request)
    const code = this.rejects(request)
    if (code === undefined) return this.#inner.request(request)
    const message = `Invalid value: ${JSON.stringify(request.body)}`
    return Promise.reject(new ApiFailure(request, code, { reason: 'Forbidden', message }))
  }

  stream: Transport['stream'] = (request) => this.#inner.stream(request)

  close = (): void => this.#inner.close()

  /** The requests for single objects, as `GET configmaps/user-ca-bundle`. */
  ofObjects(): string[] {
    const lists = /\/v1(\/namespaces\/[^/]+)?\/[^/]+$/
    return this.recorded
      .filter(({ method, path }) => method !== 'GET' || !lists.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/.*\/(v1|namespaces\/[^/]+)\//, '')}`)
  }
}

describe('a failure', () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let transport: RejectingTransport
  let client: KubeClient
  let running: RunningControllers | undefined

  beforeAll(async () => {
    server = await startServer()
    const headers = { authorization: 'Bearer administrators-token' }
    const connection = fixedConnection({ server: server.url, tls: {}, headers })
    transport = new RejectingTransport(new HttpTransport({ connection, clock: systemClock }))
    client = new KubeClient({ transport, clock: systemClock })
    await installDefinitions(server.client)
    await loop.makeNamespaces(server.client)
  })
  beforeEach(() => loop.putInput(server.client, 'kubelet', a))
  afterEach(async () => {
    await running?.stop()
    await loop.cleanUp(server.client)
    transport.recorded.splice(0)
  })
  afterAll(async () => {
    transport.close()
    await server[Symbol.asyncDispose]()
  })

  const hasKubeletCA = (pem: string) =>
    loop.untilControllerConfig(server.client, 'the kubelet CA is written', ({ spec }) => {
      return text(spec.kubeAPIServerServingCAData) === pem
    })
  const expectCondition = (line: string) =>
    loop.untilControllerConfig(server.client, `the condition is ${line}`, (config) =>
      loop.inputLines(config).includes(line),
    )

  it('to watch a source does not block others', async () => {
    const name = 'metadata.name=kube-apiserver-server-ca'
    transport.rejects = ({ query }) => (query?.['fieldSelector'] === name ? 403 : undefined)
    await loop.putInput(server.client, 'apiServer', b)
    const clock = new VirtualClock()
    running = loop.runTrust(client, clock)
    await until('the failure is reported', async () => {
      await clock.advance(100)
      const config = await loop.getControllerConfig(server.client)
      return (
        config !== undefined && loop.inputLines(config).includes('api-server-ca: True NotReachable')
      )
    })
    expect(Object.keys((await hasKubeletCA(a)).metadata.annotations!)).toContain(
      'machinist.dev/trust-digests',
    )
    transport.rejects = () => undefined
    await until('the source is valid again', async () => {
      await clock.advance(1000)
      const config = await loop.getControllerConfig(server.client)
      return loop.inputLines(config!).includes('api-server-ca: False AsExpected')
    })
  })

  it('to read a source is retried', async () => {
    await loop.putInput(server.client, 'user', b)
    transport.rejects = ({ path }) => (path.endsWith('/user-ca-bundle') ? 500 : undefined)
    running = loop.runTrust(client)
    await hasKubeletCA(a)
    await expectCondition('trust-bundle: True NotReachable')
    transport.rejects = () => undefined
    await expectCondition('trust-bundle: False AsExpected')
    expect(text((await loop.getControllerConfig(server.client))!.spec.additionalTrustBundle)).toBe(
      b,
    )
  })

  it('to write a ConfigMap does not block the ControllerConfig, and values are not quoted', async () => {
    transport.rejects = ({ method, path }) =>
      method === 'POST' && path === managed ? 403 : undefined
    await loop.putInput(server.client, 'managed', `# CANARY\n${a}`)
    running = loop.runTrust(client)
    await hasKubeletCA(a)
    const log = (): string => running!.logged
    await until('the failure is reported', () => log().includes('merged-trusted-image-registry-ca'))
    expect(log()).toContain(
      'the API server refused ConfigMap openshift-config-managed/merged-trusted-image-registry-ca (403 Forbidden)',
    )
    expect(log()).not.toContain('CANARY')
    transport.rejects = () => undefined
    const key = { namespace: 'openshift-config-managed', name: 'merged-trusted-image-registry-ca' }
    await until('the ConfigMap is written', () =>
      server.ask('GET', `${managed}/${key.name}`).then(({ code }) => code === 200),
    )
  })

  it('to write kubeconfig-data first does not block the ControllerConfig', async () => {
    const own = '/api/v1/namespaces/openshift-machine-config-operator/configmaps'
    transport.rejects = ({ method, path }) => (method === 'POST' && path === own ? 403 : undefined)
    await loop.putInput(server.client, 'apiServer', b)
    running = loop.runTrust(client)
    await hasKubeletCA(a)
    transport.rejects = () => undefined
    const kinds = new Set(['configmaps', 'controllerconfigs'])
    const created = transport.recorded.flatMap(({ method, path }) => {
      const kind = path.split('/').at(-1)!
      return method === 'POST' && kinds.has(kind) ? kind : []
    })
    expect(created.slice(0, 3)).toEqual(['configmaps', 'controllerconfigs', 'configmaps'])
  })

  it('that persists does not delay scheduled work', async () => {
    const clock = new VirtualClock()
    transport.rejects = ({ method, path }) =>
      method === 'POST' && path === managed ? 403 : undefined
    await loop.putInput(server.client, 'managed', a)
    await loop.putInput(server.client, 'apiServer', a)
    running = loop.runTrust(client, clock)
    const rotating = (value: string) =>
      until(`service-ca-rotate is ${value}`, async () => {
        await clock.advance(250)
        const { annotations } = (await loop.getControllerConfig(server.client))?.metadata ?? {}
        return annotations?.['machineconfiguration.openshift.io/service-ca-rotate'] === value
      })
    await rotating('true')
    const began = clock.elapsed()
    await rotating('false')
    const seconds = (clock.elapsed() - began) / 1000
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThan(75)
  })

  it('to write the ControllerConfig is retried, and values are not quoted', async () => {
    transport.rejects = ({ method, path }) =>
      method === 'POST' && path.endsWith('/controllerconfigs') ? 422 : undefined
    await loop.putInput(server.client, 'user', `# CANARY\n${a}`)
    running = loop.runTrust(client)
    await until('the failure is reported', () =>
      running!.logged.includes('refused ControllerConfig'),
    )
    expect(running.logged).not.toMatch(/CANARY|Q0FOQVJZ/)
    transport.rejects = () => undefined
    await hasKubeletCA(a)
  })

  it('does not occur: one change causes one read of the source and one write', async () => {
    await loop.putInput(server.client, 'user', a)
    running = loop.runTrust(client)
    await hasKubeletCA(a)
    await loop.putInput(server.client, 'kubelet', b)
    await hasKubeletCA(b)
    await running.stop()
    const mine = 'controllerconfigs/machine-config-controller'
    expect(transport.ofObjects().filter((recorded) => recorded !== `GET ${mine}`)).toEqual([
      'GET configmaps/kube-apiserver-client-ca',
      'GET configmaps/user-ca-bundle',
      'POST controllerconfigs',
      'GET configmaps/kube-apiserver-client-ca',
      `PUT ${mine}`,
    ])
  })
})
