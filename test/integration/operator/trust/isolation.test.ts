import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { ApiFailure } from '@machinist/kube/failure'
import { HttpTransport } from '@machinist/kube/transport-http'
import type { Request, Transport } from '@machinist/kube/transport'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { until } from '@machinist/testing/until'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { ca, text } from '@machinist/testing/certificates'
import * as world from './world.ts'

const [a, b] = (await Promise.all(['A', 'B'].map((name) => ca(name)))) as [string, string]
const managed = '/api/v1/namespaces/openshift-config-managed/configmaps'

/** A way to a server that says no to what it is told to, in words that quote what was sent. */
class PickyTransport implements Transport {
  readonly asked: Request[] = []
  refuses: (request: Request) => number | undefined = () => undefined
  readonly #inner: Transport

  constructor(inner: Transport) {
    this.#inner = inner
  }

  request: Transport['request'] = (request) => {
    this.asked.push(request)
    const code = this.refuses(request)
    if (code === undefined) return this.#inner.request(request)
    const message = `Invalid value: ${JSON.stringify(request.body)}`
    return Promise.reject(new ApiFailure(request, code, { reason: 'Forbidden', message }))
  }

  stream: Transport['stream'] = (request) => this.#inner.stream(request)

  close = (): void => this.#inner.close()

  /** `GET configmaps/user-ca-bundle`: all that was asked about single objects. */
  ofObjects(): string[] {
    const lists = /\/v1(\/namespaces\/[^/]+)?\/[^/]+$/
    return this.asked
      .filter(({ method, path }) => method !== 'GET' || !lists.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/.*\/(v1|namespaces\/[^/]+)\//, '')}`)
  }
}

describe('one thing that fails', () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let transport: PickyTransport
  let client: KubeClient
  let running: RunningControllers | undefined

  beforeAll(async () => {
    server = await startServer()
    const headers = { authorization: 'Bearer administrators-token' }
    const connection = fixedConnection({ server: server.url, tls: {}, headers })
    transport = new PickyTransport(new HttpTransport({ connection, clock: systemClock }))
    client = new KubeClient({ transport, clock: systemClock })
    await installDefinitions(server.client)
    await world.makeNamespaces(server.client)
  })
  beforeEach(() => world.put(server.client, 'kubelet', a))
  afterEach(async () => {
    await running?.stop()
    await world.cleanUp(server.client)
    transport.asked.splice(0)
  })
  afterAll(async () => {
    transport.close()
    await server[Symbol.asyncDispose]()
  })

  const hasKubeletCA = (pem: string) =>
    world.handedOn(server.client, 'the kubelet CA is handed on', ({ spec }) => {
      return text(spec.kubeAPIServerServingCAData) === pem
    })
  const isSaid = (line: string) =>
    world.handedOn(server.client, `it says ${line}`, (config) =>
      world.inputsOf(config).includes(line),
    )

  it('is a source that may not be followed: the others do not wait for it', async () => {
    const name = 'metadata.name=kube-apiserver-server-ca'
    transport.refuses = ({ query }) => (query?.['fieldSelector'] === name ? 403 : undefined)
    await world.put(server.client, 'apiServer', b)
    const clock = new VirtualClock()
    running = world.follow(client, clock)
    await until('it is said', async () => {
      await clock.advance(100)
      const config = await world.controllerConfig(server.client)
      return (
        config !== undefined && world.inputsOf(config).includes('api-server-ca: True NotReachable')
      )
    })
    expect(Object.keys((await hasKubeletCA(a)).metadata.annotations!)).toContain(
      'machinist.dev/trust-digests',
    )
    transport.refuses = () => undefined
    await until('it is good again', async () => {
      await clock.advance(1000)
      const config = await world.controllerConfig(server.client)
      return world.inputsOf(config!).includes('api-server-ca: False AsExpected')
    })
  })

  it('is a source that cannot be read for a while: it is tried again', async () => {
    await world.put(server.client, 'user', b)
    transport.refuses = ({ path }) => (path.endsWith('/user-ca-bundle') ? 500 : undefined)
    running = world.follow(client)
    await hasKubeletCA(a)
    await isSaid('trust-bundle: True NotReachable')
    transport.refuses = () => undefined
    await isSaid('trust-bundle: False AsExpected')
    expect(text((await world.controllerConfig(server.client))!.spec.additionalTrustBundle)).toBe(b)
  })

  it('is a ConfigMap that may not be written: the ControllerConfig is, and nothing is quoted', async () => {
    transport.refuses = ({ method, path }) =>
      method === 'POST' && path === managed ? 403 : undefined
    await world.put(server.client, 'managed', `# CANARY\n${a}`)
    running = world.follow(client)
    await hasKubeletCA(a)
    const log = (): string => running!.logged
    await until('it is said', () => log().includes('merged-trusted-image-registry-ca'))
    expect(log()).toContain(
      'the API server refused ConfigMap openshift-config-managed/merged-trusted-image-registry-ca (403 Forbidden)',
    )
    expect(log()).not.toContain('CANARY')
    transport.refuses = () => undefined
    const key = { namespace: 'openshift-config-managed', name: 'merged-trusted-image-registry-ca' }
    await until('it is written after all', () =>
      server.ask('GET', `${managed}/${key.name}`).then(({ code }) => code === 200),
    )
  })

  it('for ever does not hold up what is due', async () => {
    const clock = new VirtualClock()
    transport.refuses = ({ method, path }) =>
      method === 'POST' && path === managed ? 403 : undefined
    await world.put(server.client, 'managed', a)
    await world.put(server.client, 'apiServer', a)
    running = world.follow(client, clock)
    const rotating = (said: string) =>
      until(`service-ca-rotate is ${said}`, async () => {
        await clock.advance(250)
        const { annotations } = (await world.controllerConfig(server.client))?.metadata ?? {}
        return annotations?.['machineconfiguration.openshift.io/service-ca-rotate'] === said
      })
    await rotating('true')
    const began = clock.elapsed()
    await rotating('false')
    const seconds = (clock.elapsed() - began) / 1000
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThan(75)
  })

  it('is the ControllerConfig, and nothing of it is quoted', async () => {
    transport.refuses = ({ method, path }) =>
      method === 'POST' && path.endsWith('/controllerconfigs') ? 422 : undefined
    await world.put(server.client, 'user', `# CANARY\n${a}`)
    running = world.follow(client)
    await until('it is said', () => running!.logged.includes('refused ControllerConfig'))
    expect(running.logged).not.toMatch(/CANARY|Q0FOQVJZ/)
    transport.refuses = () => undefined
    await hasKubeletCA(a)
  })

  it('and one change costs one read of the source, and one write', async () => {
    await world.put(server.client, 'user', a)
    running = world.follow(client)
    await hasKubeletCA(a)
    await world.put(server.client, 'kubelet', b)
    await hasKubeletCA(b)
    await running.stop()
    const mine = 'controllerconfigs/machine-config-controller'
    expect(transport.ofObjects().filter((asked) => asked !== `GET ${mine}`)).toEqual([
      'GET configmaps/kube-apiserver-client-ca',
      'GET configmaps/user-ca-bundle',
      'POST controllerconfigs',
      'GET configmaps/kube-apiserver-client-ca',
      `PUT ${mine}`,
    ])
  })
})
