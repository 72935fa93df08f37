import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import * as der from '@machinist/pki/der-writer'
import {
  bootstrapper,
  clientSigner,
  derRequest,
  dns,
  extensionsIn,
  nodeItself,
  opensslRequest,
  pemOf,
  sanExtension,
  sanOf,
  servingSigner,
  subjectOf,
} from '@machinist/testing/certificates/kubelet-request'
import { bind, grantDocumentedPermissions, group } from './documented-permissions.ts'
import type { ReachedAs } from './requests-cluster.ts'
import { alive, signerUser, RequestsCluster } from './requests-cluster.ts'

const approved = ['Approved MachinistApproved']
const hour = 3_600_000

/** Cases for requests of kubelets, for the embedded and for a real API server. */
export function requestCases(reach: () => Promise<ReachedAs>): void {
  let reached: ReachedAs
  let cluster: RequestsCluster

  beforeAll(async () => {
    reached = await reach()
    const { client } = reached
    cluster = new RequestsCluster(reached)
    await grantDocumentedPermissions(client, signerUser)
    await bind(client, 'system:node-bootstrapper', group('system:bootstrappers'))
    await bind(client, 'system:node-bootstrapper', group('system:nodes'))
  })
  afterEach(() => cluster.stop())
  afterAll(() => reached.stop())

  it('a node joins as soon as RBAC allows its bootstrapper to request it', async () => {
    cluster.start()
    await cluster.join('new')
    await cluster.left('join-new', 'Rights')
    expect(await cluster.decision('join-new')).toEqual([])

    const role = 'system:certificates.k8s.io:certificatesigningrequests'
    await bind(cluster.client, `${role}:nodeclient`, group('system:bootstrappers'))
    await bind(cluster.client, `${role}:selfnodeclient`, group('system:nodes'))
    await cluster.approved('join-new')
    expect(await cluster.decision('join-new')).toEqual(approved)
    expect(await cluster.eventsOf('join-new')).toEqual(['RequestNotApproved Rights 1'])
    expect(cluster.running!.metrics.text()).toContain(
      'machinist_certificate_requests_approved_total{signer="client"} 1\n',
    )
  })

  it('requests from before the start are handled', async () => {
    await cluster.join('before')
    cluster.start()
    await cluster.approved('join-before')
    expect(await cluster.eventsOf('join-before')).toEqual([])
  })

  it('a bootstrapper gets no certificate for a running node, but for one that is down', async () => {
    await cluster.node('n1', alive(['Hostname', 'n1'], ['InternalIP', '10.0.1.1']))
    cluster.start()
    await cluster.join('n1')
    await cluster.left('join-n1', 'NodeAlive')
    expect(await cluster.decision('join-n1')).toEqual([])
    await cluster.nodeIs('n1', { conditions: [{ type: 'Ready', status: 'Unknown' }] })
    await cluster.approved('join-n1')
    expect(await cluster.eventsOf('join-n1')).toEqual(['RequestNotApproved NodeAlive 1'])
  })

  it('a node joins after a long shutdown, while its Node is still Ready', async () => {
    const lastHeartbeatTime = '2026-01-01T00:00:00Z'
    await cluster.node('n2', { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] })
    cluster.start()
    await cluster.join('n2')
    await cluster.approved('join-n2')
    expect(await cluster.eventsOf('join-n2')).toEqual([])
  })

  it('a node renews only its own certificate', async () => {
    cluster.start()
    await cluster.renew('n1')
    await cluster.approved('renew-n1')
    const pem = opensslRequest('/O=system:nodes/CN=system:node:n1')
    await expect(cluster.request('stolen', clientSigner, pem, nodeItself('n2'))).rejects.toThrow(
      'can only create a node CSR with CN=system:node:n2',
    )
    await cluster.request('a-users', clientSigner, pem, {
      username: 'jane',
      groups: ['system:masters'],
    })
    await cluster.left('a-users', 'Requester')
    expect(await cluster.decision('a-users')).toEqual([])
  })

  it('a node gets a serving certificate for its own names, as soon as the Node lists them', async () => {
    cluster.start()
    await cluster.serve('n3', 'DNS:n3,IP:10.0.1.3,IP:fd00::3')
    await cluster.left('serve-n3', 'NodeUnknown')
    const names = [
      ['Hostname', 'n3'],
      ['InternalIP', '10.0.1.3'],
    ] as const
    await cluster.node('n3', alive(...names))
    await cluster.serve('n3', 'DNS:n3,IP:10.0.1.3,IP:fd00::3', 'serve-n3-again')
    await cluster.left('serve-n3-again', 'Addresses')
    await cluster.nodeIs('n3', alive(...names, ['InternalIP', 'FD00:0:0:0::3']))
    await cluster.approved('serve-n3-again')
    expect(await cluster.decision('serve-n3')).toEqual([])
    expect(await cluster.eventsOf('serve-n3')).toEqual(['RequestNotApproved NodeUnknown 1'])
  })

  it('a node gets no serving certificate for names of another node or of the API server', async () => {
    await cluster.node('n4', alive(['Hostname', 'n4'], ['InternalIP', '10.0.1.3']))
    cluster.start()
    await cluster.serve('n4', 'DNS:n4,IP:10.0.1.3')
    await cluster.left('serve-n4', 'SharedAddresses')
    await cluster.serve('n4', 'DNS:kubernetes.default.svc', 'serve-api')
    await cluster.left('serve-api', 'AlternativeNames')
    expect([await cluster.decision('serve-n4'), await cluster.decision('serve-api')]).toEqual([
      [],
      [],
    ])
  })

  it('an ambiguous request is parsed as signers do, or refused', async () => {
    cluster.start()
    const [good, evil] = [sanOf([dns('n4')]), sanOf([dns('kubernetes.default.svc')])]
    const ask = (name: string, extensions: Uint8Array): Promise<unknown> => {
      const attributes = der.contextSpecific(0, extensions)
      const pem = pemOf(derRequest({ subject: subjectOf('n4'), attributes }))
      return cluster.request(name, servingSigner, pem, nodeItself('n4'))
    }
    await ask('serve-lists', extensionsIn([sanExtension(evil)], [sanExtension(good)]))
    await cluster.left('serve-lists', 'AlternativeNames')
    expect(await cluster.decision('serve-lists')).toEqual([])
    // kube-apiserver takes this one, the embedded server does not.
    const sent = await ask('serve-values', extensionsIn([sanExtension(evil, good)])).then(
      () => ['serve-values'],
      () => [],
    )
    for (const name of sent) await cluster.left(name, 'Unreadable')
  })

  it('only the newest of several requests of a node is approved', async () => {
    await cluster.renew('n3', 'renew-n3-a')
    await cluster.renew('n3', 'renew-n3-b')
    cluster.start()
    await cluster.approved('renew-n3-b')
    await cluster.left('renew-n3-a', 'NotTheNewest')
    expect(await cluster.decision('renew-n3-a')).toEqual([])
  })

  it('a request with a wrong time waits until the clocks agree', async () => {
    cluster.start()
    cluster.clock.jump(2 * hour)
    await cluster.renew('n3', 'renew-n3-c')
    await cluster.left('renew-n3-c', 'TooOld')
    cluster.clock.jump(-4 * hour)
    await cluster.renew('n3', 'renew-n3-d')
    await cluster.left('renew-n3-d', 'FromTheFuture')
    expect(await cluster.decision('renew-n3-d')).toEqual([])
    cluster.clock.jump(2 * hour)
    await cluster.approved('renew-n3-d')
    expect(await cluster.decision('renew-n3-c')).toEqual([])
  })

  it('requests that are decided or for another signer are ignored', async () => {
    await cluster.renew('n3', 'denied')
    await cluster.decide('denied', 'Denied')
    const pem = opensslRequest('/O=system:nodes/CN=system:node:n3')
    await cluster.request('elsewhere', 'example.com/signer', pem, nodeItself('n3'))
    cluster.start()
    await cluster.renew('n3', 'renew-n3-e')
    await cluster.approved('renew-n3-e')
    expect(await cluster.decision('denied')).toEqual(['Denied ByHand'])
    expect(await cluster.decision('elsewhere')).toEqual([])
    expect([await cluster.eventsOf('denied'), await cluster.eventsOf('elsewhere')]).toEqual([
      [],
      [],
    ])
  })

  it('a flood of requests stops approvals and is reported once', async () => {
    const pem = opensslRequest('/O=system:nodes/CN=system:node:flood')
    const names = Array.from({ length: 115 }, (_, i) => `flood-${i}`)
    await Promise.all(names.map((name) => cluster.request(name, clientSigner, pem, bootstrapper)))
    cluster.start()
    await cluster.join('late')
    const flooded = (value: number): Promise<void> =>
      cluster.until(`flooded is ${value}`, async () =>
        cluster.running!.metrics.text().includes(`_requests_flooded ${value}\n`),
      )
    await flooded(1)
    // On the first request, whichever it is.
    const floodEvents = async (): Promise<string[]> =>
      (await cluster.eventsAbout(() => true)).filter((text) => text.startsWith('TooMany'))
    await cluster.until('the flood is reported', async () => (await floodEvents()).length > 0)
    expect(await cluster.decision('join-late')).toEqual([])
    expect(await floodEvents()).toEqual(['TooManyRequests TooMany 1'])
    expect(await cluster.eventsOf('join-late')).not.toContain('RequestNotApproved TooMany 1')
    await Promise.all(names.map((name) => cluster.remove(name)))
    await cluster.approved('join-late')
    await flooded(0)
    expect(await cluster.decision('join-late')).toEqual(approved)
  })
}
