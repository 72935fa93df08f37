import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client'
import type {
  CertificateSigningRequest,
  SigningCondition,
} from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { followNodes } from '../../../../src/signer/node-cache.ts'
import { requestsLoop } from '../../../../src/signer/requests/loop.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { until } from '@machinist/testing/until'
import {
  bootstrapper,
  nodeItself,
  opensslRequest,
  requestObject,
} from '@machinist/testing/kubelet-request'
import { clientSigner, servingSigner } from '@machinist/testing/kubelet-request'

export interface Who {
  readonly username: string
  readonly groups: readonly string[]
}

/** A cluster of one's own, and a way to be somebody else there. */
export interface ReachedAs {
  readonly client: KubeClient
  as(who: Who): KubeClient
  stop(): Promise<void>
}

export const signerUser = 'the-signer'

/** Kubelets that ask, and our component with its few rights, on any API server. */
export class World {
  readonly client: KubeClient
  readonly #reached: ReachedAs
  clock = new VirtualClock()
  running: RunningControllers | undefined

  constructor(reached: ReachedAs) {
    this.#reached = reached
    this.client = reached.client
  }

  /** Its clock begins at the server's time and goes on only when somebody waits. */
  start(): void {
    this.clock = new VirtualClock(Date.now())
    const client = this.#reached.as({ username: signerUser, groups: [] })
    this.running = new RunningControllers(
      client,
      (given) => {
        const nodes = followNodes(given, given.start)
        return requestsLoop({ ...given, nodes, approveRequests: true }, given.start)
      },
      { clock: this.clock },
    )
  }

  async stop(): Promise<void> {
    await this.running?.stop()
    this.running = undefined
  }

  /** A bootstrapper asks for a node to join. */
  join(node: string, name = `join-${node}`): Promise<unknown> {
    return this.ask(name, clientSigner, opensslRequest(subject(node)), bootstrapper)
  }

  /** A node asks for its next certificate. */
  renew(node: string, name = `renew-${node}`): Promise<unknown> {
    return this.ask(name, clientSigner, opensslRequest(subject(node)), nodeItself(node))
  }

  /** A node asks for a certificate with names as in `DNS:n1,IP:10.0.0.1`. */
  serve(node: string, names: string, name = `serve-${node}`): Promise<unknown> {
    return this.ask(name, servingSigner, opensslRequest(subject(node), names), nodeItself(node))
  }

  ask(name: string, signer: string, pem: string, who: Who): Promise<unknown> {
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

  /** `Approved MachinistApproved`, or nothing. */
  async decision(name: string): Promise<string[]> {
    const { status } = await this.#get(name)
    return (status?.conditions ?? []).map(({ type, reason = '' }) => `${type} ${reason}`)
  }

  async decide(name: string, type: SigningCondition['type']): Promise<void> {
    const conditions = [{ type, status: 'True', reason: 'ByHand', message: 'a person' }]
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

  /** What events about a request say, each up to the first colon and how often: `RequestNotApproved NodeAlive 1`. */
  told(name: string): Promise<string[]> {
    return this.toldAbout((each) => each === name)
  }

  async toldAbout(isMeant: (name: string) => boolean): Promise<string[]> {
    const all = await Array.fromAsync(this.client.listAll(coreEvents, { namespace: 'default' }))
    return all
      .filter(({ involvedObject: about }) => about.kind === 'CertificateSigningRequest')
      .filter(({ involvedObject: about }) => isMeant(about.name ?? ''))
      .map(({ reason, message = '', count }) => `${reason} ${message.split(':')[0]} ${count}`)
  }

  /** Waits until it has told why it leaves a request alone. */
  async left(name: string, rule: string): Promise<void> {
    const wanted = `RequestNotApproved ${rule} 1`
    await this.until(`${name} is left because of ${rule}`, async () =>
      (await this.told(name)).includes(wanted),
    )
  }

  /** Virtual time passes for who waits, five seconds for every moment of real sockets. */
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

/** A Node that lives, with these addresses. */
export function alive(
  ...addresses: readonly (readonly [type: string, address: string])[]
): NonNullable<Node['status']> {
  const lastHeartbeatTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    addresses: addresses.map(([type, address]) => ({ type, address })),
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }],
  }
}
