import { trustRotations } from '../../../src/api/resources.ts'
import type { Transport } from '@machinist/kube/transport'
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
} from './deeds.ts'
import { Issued } from './issued.ts'
import { kubeletRotation, kubelets, quick } from './rotations.ts'
import { TellingNodes } from './telling-nodes.ts'

const settleMs = 10_000
/** How long each node takes; the last one as if its pool had been paused for a while. */
const delays = { one: 500, two: 4000, three: settleMs + 2000 }
const rotation = 'kube-apiserver-to-kubelet'

/**
 * An API server, nodes that only tell, and somebody who looks all the time whether callers would be let in: a world in which
 * a rotation takes moments. Who signs, and how, is for each test to say.
 */
export class TellingLane implements AsyncDisposable {
  readonly lane: WholeLane
  readonly nodes: TellingNodes
  readonly issued: Issued
  /** Whoever was not let in, where and why. */
  readonly refusals: string[] = []
  /** One that takes over what is new at once, one as late as it may. */
  readonly #callers = [new Caller(0), new Caller(settleMs - 2500)]

  /** `line`: how a signer that is about to start reaches the API server. */
  static async open(line: (inner: Transport) => Transport): Promise<TellingLane> {
    const issued = new Issued(() => lane.clock)
    const between = (who: string, inner: Transport): Transport =>
      who === 'signer' ? line(issued.through(inner)) : inner
    const lane = await WholeLane.open({ between, stepMs: 250 })
    const { client, clock } = lane
    await makeNamespace(client, kubelets.target.namespace)
    for (const name of Object.keys(delays)) await lane.join(name)
    const nodes = new TellingNodes(client, clock, delays, settleMs / 2)
    const settle = { nodeSettle: '10s', leafSettle: '10s' }
    await client.create(trustRotations, quick(kubeletRotation(settle)))
    return new TellingLane(lane, nodes, issued)
  }

  private constructor(lane: WholeLane, nodes: TellingNodes, issued: Issued) {
    this.lane = lane
    this.nodes = nodes
    this.issued = issued
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.lane[Symbol.asyncDispose]()
  }

  /** Waits while everybody does what is to be done, and somebody looks. */
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

  /** A whole rotation, there or there and back again. */
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
      wanted: nameIn(back ? before : fresh),
      current: nameIn((await status()).current!),
      issuer: await issuerIn(client, kubelets.target),
      bundle: await authoritiesIn(client, kubelets.bundle),
      published: await authoritiesIn(client, kubelets.published),
    }
  }
}

/** Common names of CAs when all is over: the one that is wanted, and who is where. */
export interface Ending {
  readonly wanted: string
  readonly current: string
  readonly issuer: string | undefined
  readonly bundle: readonly string[]
  readonly published: readonly string[]
}

const nameIn = ({ subject }: { readonly subject: string }): string =>
  /CN=([^,\n]*)/.exec(subject)![1]!
