import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import * as der from '@machinist/pki/der-writer'
import { bind, grantDocumentedRights, group } from './documented-rights.ts'
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
} from '@machinist/testing/kubelet-request'
import type { ReachedAs } from './world.ts'
import { alive, signerUser, World } from './world.ts'

const approved = ['Approved MachinistApproved']
const hour = 3_600_000

/** What becomes of kubelets' requests; the same on the embedded API server and on a real one. */
export function requestCases(reach: () => Promise<ReachedAs>): void {
  let reached: ReachedAs
  let world: World

  beforeAll(async () => {
    reached = await reach()
    const { client } = reached
    world = new World(reached)
    await grantDocumentedRights(client, signerUser)
    await bind(client, 'system:node-bootstrapper', group('system:bootstrappers'))
    await bind(client, 'system:node-bootstrapper', group('system:nodes'))
  })
  afterEach(() => world.stop())
  afterAll(() => reached.stop())

  it('a node joins as soon as RBAC lets its bootstrapper', async () => {
    world.start()
    await world.join('new')
    await world.left('join-new', 'Rights')
    expect(await world.decision('join-new')).toEqual([])

    const role = 'system:certificates.k8s.io:certificatesigningrequests'
    await bind(world.client, `${role}:nodeclient`, group('system:bootstrappers'))
    await bind(world.client, `${role}:selfnodeclient`, group('system:nodes'))
    await world.approved('join-new')
    expect(await world.decision('join-new')).toEqual(approved)
    expect(await world.told('join-new')).toEqual(['RequestNotApproved Rights 1'])
    expect(world.running!.metrics.text()).toContain(
      'machinist_certificate_requests_approved_total{signer="client"} 1\n',
    )
  })

  it('what was there before the start is seen, too', async () => {
    await world.join('before')
    world.start()
    await world.approved('join-before')
    expect(await world.told('join-before')).toEqual([])
  })

  it('nobody gets the name of a living node, but one that is down comes back', async () => {
    await world.node('n1', alive(['Hostname', 'n1'], ['InternalIP', '10.0.1.1']))
    world.start()
    await world.join('n1')
    await world.left('join-n1', 'NodeAlive')
    expect(await world.decision('join-n1')).toEqual([])
    await world.nodeIs('n1', { conditions: [{ type: 'Ready', status: 'Unknown' }] })
    await world.approved('join-n1')
    expect(await world.told('join-n1')).toEqual(['RequestNotApproved NodeAlive 1'])
  })

  it('a node comes back after a long shutdown, before anybody has noticed that it was silent', async () => {
    const lastHeartbeatTime = '2026-01-01T00:00:00Z'
    await world.node('n2', { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] })
    world.start()
    await world.join('n2')
    await world.approved('join-n2')
    expect(await world.told('join-n2')).toEqual([])
  })

  it('a node renews its own certificate, and nobody else’s', async () => {
    world.start()
    await world.renew('n1')
    await world.approved('renew-n1')
    const pem = opensslRequest('/O=system:nodes/CN=system:node:n1')
    await expect(world.ask('stolen', clientSigner, pem, nodeItself('n2'))).rejects.toThrow(
      'can only create a node CSR with CN=system:node:n2',
    )
    await world.ask('a-users', clientSigner, pem, { username: 'jane', groups: ['system:masters'] })
    await world.left('a-users', 'Requester')
    expect(await world.decision('a-users')).toEqual([])
  })

  it('a node serves under its own names, as soon as the Node has them', async () => {
    world.start()
    await world.serve('n3', 'DNS:n3,IP:10.0.1.3,IP:fd00::3')
    await world.left('serve-n3', 'NodeUnknown')
    const names = [
      ['Hostname', 'n3'],
      ['InternalIP', '10.0.1.3'],
    ] as const
    await world.node('n3', alive(...names))
    await world.serve('n3', 'DNS:n3,IP:10.0.1.3,IP:fd00::3', 'serve-n3-again')
    await world.left('serve-n3-again', 'Addresses')
    await world.nodeIs('n3', alive(...names, ['InternalIP', 'FD00:0:0:0::3']))
    await world.approved('serve-n3-again')
    expect(await world.decision('serve-n3')).toEqual([])
    expect(await world.told('serve-n3')).toEqual(['RequestNotApproved NodeUnknown 1'])
  })

  it("a node does not serve under another's names, nor under the API's", async () => {
    await world.node('n4', alive(['Hostname', 'n4'], ['InternalIP', '10.0.1.3']))
    world.start()
    await world.serve('n4', 'DNS:n4,IP:10.0.1.3')
    await world.left('serve-n4', 'SharedAddresses')
    await world.serve('n4', 'DNS:kubernetes.default.svc', 'serve-api')
    await world.left('serve-api', 'AlternativeNames')
    expect([await world.decision('serve-n4'), await world.decision('serve-api')]).toEqual([[], []])
  })

  it('a request that two readers read in two ways is read as signers do, or not at all', async () => {
    world.start()
    const [good, evil] = [sanOf([dns('n4')]), sanOf([dns('kubernetes.default.svc')])]
    const ask = (name: string, extensions: Uint8Array): Promise<unknown> => {
      const attributes = der.placed(0, extensions)
      const pem = pemOf(derRequest({ subject: subjectOf('n4'), attributes }))
      return world.ask(name, servingSigner, pem, nodeItself('n4'))
    }
    await ask('serve-lists', extensionsIn([sanExtension(evil)], [sanExtension(good)]))
    await world.left('serve-lists', 'AlternativeNames')
    expect(await world.decision('serve-lists')).toEqual([])
    // kube-apiserver takes this one, the embedded server does not.
    const sent = await ask('serve-values', extensionsIn([sanExtension(evil, good)])).then(
      () => ['serve-values'],
      () => [],
    )
    for (const name of sent) await world.left(name, 'Unreadable')
  })

  it('of several requests of one node the newest counts', async () => {
    await world.renew('n3', 'renew-n3-a')
    await world.renew('n3', 'renew-n3-b')
    world.start()
    await world.approved('renew-n3-b')
    await world.left('renew-n3-a', 'NotTheNewest')
    expect(await world.decision('renew-n3-a')).toEqual([])
  })

  it('what was made by another clock waits until the clocks agree', async () => {
    world.start()
    world.clock.jump(2 * hour)
    await world.renew('n3', 'renew-n3-c')
    await world.left('renew-n3-c', 'TooOld')
    world.clock.jump(-4 * hour)
    await world.renew('n3', 'renew-n3-d')
    await world.left('renew-n3-d', 'FromTheFuture')
    expect(await world.decision('renew-n3-d')).toEqual([])
    world.clock.jump(2 * hour)
    await world.approved('renew-n3-d')
    expect(await world.decision('renew-n3-c')).toEqual([])
  })

  it('what somebody has decided, or is not for us, is left alone', async () => {
    await world.renew('n3', 'denied')
    await world.decide('denied', 'Denied')
    const pem = opensslRequest('/O=system:nodes/CN=system:node:n3')
    await world.ask('elsewhere', 'example.com/signer', pem, nodeItself('n3'))
    world.start()
    await world.renew('n3', 'renew-n3-e')
    await world.approved('renew-n3-e')
    expect(await world.decision('denied')).toEqual(['Denied ByHand'])
    expect(await world.decision('elsewhere')).toEqual([])
    expect([await world.told('denied'), await world.told('elsewhere')]).toEqual([[], []])
  })

  it('in a flood nothing is approved, and it is told once', async () => {
    const pem = opensslRequest('/O=system:nodes/CN=system:node:flood')
    const names = Array.from({ length: 115 }, (_, i) => `flood-${i}`)
    await Promise.all(names.map((name) => world.ask(name, clientSigner, pem, bootstrapper)))
    world.start()
    await world.join('late')
    const flooded = (value: number): Promise<void> =>
      world.until(`flooded is ${value}`, async () =>
        world.running!.metrics.text().includes(`_requests_flooded ${value}\n`),
      )
    await flooded(1)
    // On the request that was looked at first, whichever it is.
    const told = async (): Promise<string[]> =>
      (await world.toldAbout(() => true)).filter((text) => text.startsWith('TooMany'))
    await world.until('it is told', async () => (await told()).length > 0)
    expect(await world.decision('join-late')).toEqual([])
    expect(await told()).toEqual(['TooManyRequests TooMany 1'])
    expect(await world.told('join-late')).not.toContain('RequestNotApproved TooMany 1')
    await Promise.all(names.map((name) => world.remove(name)))
    await world.approved('join-late')
    await flooded(0)
    expect(await world.decision('join-late')).toEqual(approved)
  })
}
