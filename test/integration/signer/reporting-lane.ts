import type { Transport } from '@machinist/kube/transport/transport'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { WholeLane } from '../trust/whole-lane.ts'
import { Caller } from './caller.ts'
import {
  authoritiesIn,
  issuerIn,
  makeNamespace,
  pairIn,
  rotate,
  rotateBack,
  statusOf,
} from './rotation-operations.ts'
import { Issued } from './issued.ts'
import { kubeletRotation, kubelets, quick } from './rotations.ts'
import { ReportingNodes } from './reporting-nodes.ts'

const settleMs = 10_000
/** The delay of each node; the last one is like a node of a paused pool. */
const delays = { one: 500, two: 4000, three: settleMs + 2000 }
const rotation = 'kube-apiserver-to-kubelet'

/**
 * An API server, nodes that only report, and a continuous check whether clients would be accepted. A rotation takes seconds.
 * Each test starts its own signer.
 */
export class ReportingLane implements AsyncDisposable {
  readonly lane: WholeLane
  readonly nodes: ReportingNodes
  readonly issued: Issued
  /** Rejected clients, with the node and the reason. */
  readonly refusals: string[] = []
  /** One client that uses a new certificate at once, and one as late as allowed. */
  readonly #callers = [new Caller(0), new Caller(settleMs - 2500)]

  /** `line` wraps the transport of a signer that starts. */
  static async open(line: (inner: Transport) => Transport): Promise<ReportingLane> {
    const issued = new Issued(() => lane.clock)
    const between = (who: string, inner: Transport): Transport =>
      who === 'signer' ? line(issued.through(inner)) : inner
    const lane = await WholeLane.open({ between, stepMs: 250 })
    const { client, clock } = lane
    await makeNamespace(client, kubelets.target.namespace)
    for (const name of Object.keys(delays)) await lane.join(name)
    const nodes = new ReportingNodes(client, clock, delays, settleMs / 2)
    const settle = { nodeSettle: '10s', leafSettle: '10s' }
    await client.create(trustRotations, quick(kubeletRotation(settle)))
    return new ReportingLane(lane, nodes, issued)
  }

  private constructor(lane: WholeLane, nodes: ReportingNodes, issued: Issued) {
    this.lane = lane
    this.nodes = nodes
    this.issued = issued
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.lane[Symbol.asyncDispose]()
  }

  /** Waits while nodes and clients act. */
  until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return this.lane.until(what, async () => {
      await this.look()
      return await holds()
    })
  }

  async look(): Promise<void> {
    await this.nodes.look()
    const shown = await pairIn(this.lane.client, kubelets.target)
    if (!shown) return
    for (const caller of this.#callers) {
      caller.see(shown, this.lane.clock.now())
      this.refusals.push(...this.nodes.refusals(caller.shows!))
    }
  }

  complete(): Promise<void> {
    return this.until('it is complete', async () => {
      const { phase, current, nodes } = await statusOf(this.lane.client, rotation)
      return phase === 'Completed' && current !== undefined && nodes?.trusting === 3
    })
  }

  /** A whole rotation, optionally with a rotation back. */
  async story(back: boolean): Promise<Ending> {
    const { client } = this.lane
    const status = (): ReturnType<typeof statusOf> => statusOf(client, rotation)
    const before = (await status()).current!
    const changed = async (): Promise<boolean> =>
      (await status()).current?.fingerprint !== before.fingerprint
    await rotate(client, kubelets.signer)
    await this.until('there is a new CA', changed)
    const fresh = (await status()).current!
    if (back) {
      await this.until('it has signed', async () => {
        return (await status()).targets?.[0]?.signedBy === fresh.fingerprint
      })
      await rotateBack(client, kubelets.signer, fresh.fingerprint)
      await this.until('the old one is back', async () => !(await changed()))
    }
    await this.complete()
    return {
      expected: nameIn(back ? before : fresh),
      current: nameIn((await status()).current!),
      issuer: await issuerIn(client, kubelets.target),
      bundle: await authoritiesIn(client, kubelets.bundle),
      published: await authoritiesIn(client, kubelets.published),
    }
  }
}

/** Common names of CAs at the end: the expected one, and the actual ones. */
export interface Ending {
  readonly expected: string
  readonly current: string
  readonly issuer: string | undefined
  readonly bundle: readonly string[]
  readonly published: readonly string[]
}

const nameIn = ({ subject }: { readonly subject: string }): string =>
  /CN=([^,\n]*)/.exec(subject)![1]!
