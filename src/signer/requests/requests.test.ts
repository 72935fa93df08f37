import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedServer } from '@machinist/testing/servers/scripted-server'
import {
  bootstrapper,
  clientSigner,
  derRequest,
  dns,
  nodeItself,
  pemOf,
  requestObject,
  servingSigner,
} from '@machinist/testing/certificates/kubelet-request'
import { MemoryListWatch } from '@machinist/kube/informer/memory-list-watch.fixture'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { Informer } from '@machinist/kube/informer/informer'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import type { Node, Service } from '@machinist/kube/kinds/core'
import { nodeNameIndex } from '../nodes/node-cache.ts'
import { namesOf } from '../nodes/node-names.ts'
import { requestsController } from './requests.ts'

const allowed = { status: { allowed: true } }
const done = { metadata: { name: 'csr-1' } }
const review = 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews'
const approval = 'PATCH /apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1/approval'

const client = pemOf(derRequest({}))
const serving = pemOf(derRequest({ names: [dns('n1')] }))

type Answer = object | readonly [code: number, reason: string]

/** The controller with caches in memory and a server with given responses. */
class Scene {
  readonly clock = new VirtualClock()
  readonly metrics = new Metrics()
  readonly requests = new MemoryListWatch<CertificateSigningRequest>(this.clock)
  readonly nodes = new MemoryListWatch<Node>(this.clock)
  readonly services = new MemoryListWatch<Service>(this.clock)
  readonly events: string[] = []
  readonly server: ScriptedServer
  readonly #stop = new AbortController()
  #ended: Promise<unknown>[] = []

  constructor(...answers: readonly Answer[]) {
    this.server = new ScriptedServer(...answers)
  }

  async run(): Promise<void> {
    const { clock, metrics, server } = this
    const tools = { clock, metrics, log: silentLogger, random: seededRandom(1) }
    const follow = <T extends KubeObject>(
      source: MemoryListWatch<T>,
      indexes = {},
    ): Informer<T> => {
      const informer = new Informer<T>({ ...tools, resource: 'tested', source, indexes })
      this.#ended.push(informer.start(this.#stop.signal))
      return informer
    }
    const warning = (_about: object, reason: string, message: string): void => {
      this.events.push(`${reason} ${message}`)
    }
    const events = { normal: () => undefined, warning }
    const controller = requestsController(
      { ...tools, client: server.client, events },
      {
        requests: [follow(this.requests)],
        nodes: follow(this.nodes, { [nodeNameIndex]: namesOf }),
        apiService: follow(this.services),
      },
    )
    this.#ended.push(new ControllerRunner(controller, tools).run(this.#stop.signal))
    await clock.advance(0)
  }

  put(
    pem: string,
    signer: string,
    spec: object,
    status?: CertificateSigningRequest['status'],
  ): void {
    const object = requestObject(pem, signer, spec)
    const metadata = { name: 'csr-1', creationTimestamp: timestamp(this.clock.now()) }
    this.requests.put({ ...object, metadata, ...(status && { status }) })
  }

  metric(name: string): string | undefined {
    const line = this.metrics.text().split('\n')
    return line.find((text) => text.startsWith(`machinist_certificate_requests_${name} `))
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#ended)
  }
}

let scene: Scene
afterEach(() => scene.end())

describe('approving', () => {
  it('reviews the permission of the requester, and approves the request as it was read', async () => {
    scene = new Scene(allowed, done)
    scene.put(client, clientSigner, { ...bootstrapper, uid: 'b-1', extra: { why: ['boot'] } })
    await scene.run()
    expect(scene.server.requests).toEqual([review, approval])
    expect(scene.server.bodies).toEqual([
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec: {
          user: 'system:bootstrap:abcdef',
          uid: 'b-1',
          groups: ['system:bootstrappers', 'system:authenticated'],
          extra: { why: ['boot'] },
          resourceAttributes: {
            verb: 'create',
            group: 'certificates.k8s.io',
            version: '*',
            resource: 'certificatesigningrequests',
            subresource: 'nodeclient',
          },
        },
      },
      {
        metadata: { uid: 'uid-1', resourceVersion: '1' },
        status: {
          conditions: [
            {
              type: 'Approved',
              status: 'True',
              reason: 'MachinistApproved',
              message:
                'A permitted bootstrapper requests a certificate for a node, and no running node has this name.',
            },
          ],
        },
      },
    ])
    expect(scene.metric('approved_total{signer="client"}')).toMatch(/ 1$/)
  })

  it('keeps conditions of other writers', async () => {
    scene = new Scene(done)
    const note = { type: 'Reviewed', status: 'True' } as never
    scene.nodes.put({
      metadata: { name: 'n1' },
      status: { addresses: [{ type: 'Hostname', address: 'n1' }] },
    })
    scene.put(serving, servingSigner, nodeItself('n1'), { conditions: [note] })
    await scene.run()
    expect(scene.server.requests).toEqual([approval])
    expect(scene.server.bodies).toMatchObject([
      { status: { conditions: [{ type: 'Reviewed' }, { type: 'Approved' }] } },
    ])
  })

  it('retries after a conflict', async () => {
    scene = new Scene(allowed, [409, 'Conflict'], allowed, done)
    scene.put(client, clientSigner, bootstrapper)
    await scene.run()
    expect(scene.server.requests).toEqual([review, approval])
    await scene.clock.advance(500)
    expect(scene.server.requests).toEqual([review, approval, review, approval])
    expect(scene.events).toEqual([])
  })

  it('ends when the request is deleted', async () => {
    scene = new Scene(allowed, [404, 'NotFound'])
    scene.put(client, clientSigner, bootstrapper)
    await scene.run()
    await scene.clock.advance(3_600_000)
    expect(scene.server.requests).toEqual([review, approval])
  })

  it('is retried when the server fails', async () => {
    scene = new Scene([500, 'InternalError'], allowed, done)
    scene.put(client, clientSigner, bootstrapper)
    await scene.run()
    await scene.clock.advance(1000)
    expect(scene.server.requests).toEqual([review, review, approval])
  })

  it('decides again after the review, with changed caches', async () => {
    scene = new Scene(allowed)
    const lastHeartbeatTime = timestamp(scene.clock.now())
    const ready = { type: 'Ready', status: 'True' as const, lastHeartbeatTime }
    scene.put(client, clientSigner, bootstrapper)
    const request = scene.server.request
    scene.server.request = async (options) => {
      scene.nodes.put({ metadata: { name: 'n1' }, status: { conditions: [ready] } })
      await scene.clock.advance(0)
      return request(options)
    }
    await scene.run()
    await scene.clock.advance(0)
    expect(scene.server.requests).toEqual([review])
    expect(scene.metric('left{signer="client",rule="NodeAlive"}')).toMatch(/ 1$/)
  })

  it('does not use the review of a former request with the same name', async () => {
    const denied = { status: { allowed: false } }
    scene = new Scene(allowed, denied, denied)
    scene.put(client, clientSigner, bootstrapper)
    const request = scene.server.request
    scene.server.request = async (options) => {
      if (scene.server.requests.length === 0) {
        scene.requests.remove('csr-1')
        scene.put(client, clientSigner, { ...bootstrapper, username: 'system:bootstrap:ghijkl' })
        await scene.clock.advance(0)
      }
      return request(options)
    }
    await scene.run()
    await scene.clock.advance(0)
    // Once in the same reconcile, and once for the change.
    expect(scene.server.requests).toEqual([review, review, review])
    expect(scene.server.bodies).toMatchObject([
      { spec: { user: 'system:bootstrap:abcdef' } },
      { spec: { user: 'system:bootstrap:ghijkl' } },
      { spec: { user: 'system:bootstrap:ghijkl' } },
    ])
    expect(scene.metric('left{signer="client",rule="Rights"}')).toMatch(/ 1$/)
  })
})

describe('a request that is left', () => {
  it('for a final reason is reported once and not reconciled again', async () => {
    scene = new Scene()
    scene.put(client, clientSigner, { username: 'jane', groups: [] })
    await scene.run()
    await scene.clock.advance(7_200_000)
    expect(scene.events).toEqual([
      'RequestNotApproved Requester: only the node itself or a bootstrapper may request a certificate for n1, and "jane" does; check who sent it. If the request is legitimate: kubectl certificate approve csr-1',
    ])
    expect(scene.metric('left{signer="client",rule="Requester"}')).toMatch(/ 1$/)
    scene.put(client, clientSigner, {}, { conditions: [{ type: 'Denied', status: 'True' }] })
    await scene.clock.advance(0)
    expect(scene.metric('left{signer="client",rule="Requester"}')).toMatch(/ 0$/)
  })

  it('for another reason is reported once, after a minute', async () => {
    scene = new Scene()
    scene.put(serving, servingSigner, nodeItself('n1'))
    await scene.run()
    await scene.clock.advance(59_000)
    expect(scene.events).toEqual([])
    await scene.clock.advance(1000)
    expect(scene.events).toMatchObject([expect.stringContaining('NodeUnknown')])
    await scene.clock.advance(7_200_000)
    expect(scene.events).toHaveLength(1)
    expect(scene.metric('left{signer="serving",rule="TooOld"}')).toMatch(/ 1$/)
    expect(scene.metric('left{signer="serving",rule="NodeUnknown"}')).toMatch(/ 0$/)
  })

  it('is reported again if it is recreated with the same name', async () => {
    scene = new Scene()
    scene.put(client, clientSigner, { username: 'jane', groups: [] })
    await scene.run()
    scene.requests.remove('csr-1')
    scene.put(client, clientSigner, { username: 'jane', groups: [] })
    await scene.clock.advance(0)
    expect(scene.events).toHaveLength(2)
    expect(scene.metric('left{signer="client",rule="Requester"}')).toMatch(/ 1$/)
  })

  it('because the signer lacks a permission is reported as such', async () => {
    const refused = [403, 'Forbidden'] as const
    scene = new Scene(refused, refused, allowed, done)
    scene.put(client, clientSigner, bootstrapper)
    await scene.run()
    await scene.clock.advance(60_000)
    expect(scene.events).toEqual([
      'RequestNotApproved NotLet: the API server refused what the signer needs for request csr-1 (403 Forbidden); give the signer the permissions in docs/certificate-requests.md. If the request is legitimate: kubectl certificate approve csr-1',
    ])
    await scene.clock.advance(60_000)
    expect(scene.server.requests).toEqual([review, review, review, approval])
  })

  it('may contain the address of the API server', async () => {
    scene = new Scene()
    const pem = pemOf(derRequest({ names: [[0x87, Buffer.from([10, 96, 0, 1])]] }))
    scene.services.put({
      metadata: { namespace: 'default', name: 'kubernetes' },
      spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1', 'fd00:96::1'] },
    })
    scene.nodes.put({
      metadata: { name: 'n1' },
      status: { addresses: [{ type: 'InternalIP', address: '10.96.0.1' }] },
    })
    scene.put(pem, servingSigner, nodeItself('n1'))
    await scene.run()
    await scene.clock.advance(60_000)
    expect(scene.events).toMatchObject([
      expect.stringContaining('"10.96.0.1" also belongs to Service default/kubernetes'),
    ])
  })
})
