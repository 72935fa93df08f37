import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import type {
  CertificateSigningRequest,
  SigningCondition,
} from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import {
  bootstrapper,
  nodeItself,
  opensslRequest,
  requestObject,
} from '@machinist/testing/certificates/kubelet-request'
import { clientSigner, servingSigner } from '@machinist/testing/certificates/kubelet-request'
import { nodeInformer } from '../../../../src/signer/nodes/node-cache.ts'
import { optionalRequestsController } from '../../../../src/signer/requests/optional-controller.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

export interface Who {
  readonly username: string
  readonly groups: readonly string[]
}

/** A cluster, with impersonation of other users. */
export interface ReachedAs {
  readonly client: KubeClient
  as(who: Who): KubeClient
  stop(): Promise<void>
}

export const signerUser = 'the-signer'

/** Requests of kubelets, and the signer with its documented permissions, on any API server. */
export class RequestsCluster {
  readonly client: KubeClient
  readonly #reached: ReachedAs
  clock = new VirtualClock()
  running: RunningControllers | undefined

  constructor(reached: ReachedAs) {
    this.#reached = reached
    this.client = reached.client
  }

  /** The clock starts at the server's time and advances only while a test waits. */
  start(): void {
    this.clock = new VirtualClock(Date.now())
    const client = this.#reached.as({ username: signerUser, groups: [] })
    this.running = new RunningControllers(
      client,
      (given) => {
        const nodes = nodeInformer(given, given.start)
        return optionalRequestsController(given, nodes, given.start, { approveRequests: true })
      },
      { clock: this.clock },
    )
  }

  async stop(): Promise<void> {
    await this.running?.stop()
    this.running = undefined
  }

  /** A bootstrapper requests a certificate for a new node. */
  join(node: string, name = `join-${node}`): Promise<unknown> {
    return this.request(name, clientSigner, opensslRequest(subject(node)), bootstrapper)
  }

  /** A node requests its next certificate. */
  renew(node: string, name = `renew-${node}`): Promise<unknown> {
    return this.request(name, clientSigner, opensslRequest(subject(node)), nodeItself(node))
  }

  /** A node requests a serving certificate with names such as `DNS:n1,IP:10.0.0.1`. */
  serve(node: string, names: string, name = `serve-${node}`): Promise<unknown> {
    return this.request(name, servingSigner, opensslRequest(subject(node), names), nodeItself(node))
  }

  request(name: string, signer: string, pem: string, who: Who): Promise<unknown> {
    const { spec } = requestObject(pem, signer)
    return this.#reached.as(who).create(certificateSigningRequests, { metadata: { name }, spec })
  }

  async node(name: string, status: NonNullable<Node['status']>): Promise<void> {
    await this.client.create(nodes, { metadata: { name } })
    await this.nodeIs(name, status)
  }

  async nodeIs(name: string, status: NonNullable<Node['status']>): Promise<void> {
    const patch = mergePatch({ status })
    await this.client.patch(nodes, { name }, patch, { subresource: 'status' })
  }

  /** The conditions: `Approved MachinistApproved`, or none. */
  async decision(name: string): Promise<string[]> {
    const { status } = await this.#get(name)
    return (status?.conditions ?? []).map(({ type, reason = '' }) => `${type} ${reason}`)
  }

  async decide(name: string, type: SigningCondition['type']): Promise<void> {
    const conditions = [{ type, status: 'True', reason: 'ByHand', message: 'an administrator' }]
    const patch = mergePatch({ status: { conditions } })
    await this.client.patch(certificateSigningRequests, { name }, patch, {
      subresource: 'approval',
    })
  }

  async remove(name: string): Promise<void> {
    await this.client.remove(certificateSigningRequests, { name })
  }

  approved(name: string): Promise<void> {
    return this.until(`${name} is approved`, async () => (await this.decision(name)).length > 0)
  }

  /** The events of a request, each up to the first colon, with its count: `RequestNotApproved NodeAlive 1`. */
  eventsOf(name: string): Promise<string[]> {
    return this.eventsAbout((each) => each === name)
  }

  async eventsAbout(isMeant: (name: string) => boolean): Promise<string[]> {
    const all = await Array.fromAsync(this.client.listAll(coreEvents, { namespace: 'default' }))
    return all
      .filter(({ involvedObject: about }) => about.kind === 'CertificateSigningRequest')
      .filter(({ involvedObject: about }) => isMeant(about.name ?? ''))
      .map(({ reason, message = '', count }) => `${reason} ${message.split(':')[0]} ${count}`)
  }

  /** Waits until the signer reports why it leaves a request. */
  async left(name: string, check: string): Promise<void> {
    const expected = `RequestNotApproved ${check} 1`
    await this.until(`${name} is left because of ${check}`, async () =>
      (await this.eventsOf(name)).includes(expected),
    )
  }

  /** Waits while virtual time passes, five seconds per poll. */
  async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    await until(what, async () => {
      if (await condition()) return true
      await this.clock.advance(5000)
      return false
    })
  }

  #get(name: string): Promise<CertificateSigningRequest> {
    return this.client.get(certificateSigningRequests, { name })
  }
}

const subject = (node: string): string => `/O=system:nodes/CN=system:node:${node}`

/** The status of a running Node with these addresses. */
export function alive(
  ...addresses: readonly (readonly [type: string, address: string])[]
): NonNullable<Node['status']> {
  const lastHeartbeatTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    addresses: addresses.map(([type, address]) => ({ type, address })),
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }],
  }
}
