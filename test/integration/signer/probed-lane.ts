import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { TrustRotation } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/resources.ts'
import { openSandbox } from '../../../src/daemon/host/sandbox/sandbox.ts'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport'
import { createAuthority } from '@machinist/pki/issue'
import type { LaneNode } from '../trust/whole-lane.ts'
import { WholeLane } from '../trust/whole-lane.ts'
import { CutLine } from './cut-line.ts'
import { isCompleted, makeNamespace } from './deeds.ts'
import { Issued } from './issued.ts'
import type { ProberOptions } from './prober.ts'
import { Prober } from './prober.ts'
import { administrators, kubelets } from './rotations.ts'

const day = 86_400_000
/** How late those who present the certificate take over a new one. */
export type Holders = Pick<ProberOptions, 'lagsMs' | 'deliveryMs'>

/** As often as kubelets look at their file, compared with how long it takes to settle. */
const everyMs = 30_000

/**
 * Operator, signer and nodes whose machines are directories, with a door in front of each that callers go to all the time.
 * Certificates count by virtual time for us and by real time for TLS: the virtual one is some days behind, and never catches up.
 */
export class ProbedLane implements AsyncDisposable {
  readonly lane: WholeLane
  readonly issued: Issued
  readonly prober: Prober
  readonly rotation: string
  readonly #lines: ReadonlyMap<string, CutLine>
  readonly #directory: Awaited<ReturnType<typeof mkdtempDisposable>>

  static async open(rotation: TrustRotation, holders: Holders): Promise<ProbedLane> {
    const lines = new Map<string, CutLine>()
    const issued = new Issued(() => lane.clock)
    const between = (who: string, inner: Transport): Transport => {
      if (who === 'signer') return issued.through(inner)
      const line = new CutLine(inner)
      lines.set(who, line)
      return line
    }
    const startsAt = Date.now() - 5 * day
    const lane = await WholeLane.open({ between, startsAt, stepMs: 1500 })
    const { client, clock } = lane
    await makeNamespace(client, kubelets.target.namespace)
    const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    const network = 'spec: { serviceNetwork: [10.96.0.0/12] }'
    const data = { network, certificateDelivery: 'direct' }
    await client.create(configMaps, { metadata: facts, data })
    await client.create(configMaps, { metadata: { namespace: 'kube-system', name: 'bootstrap' } })
    const validity = { from: startsAt, until: startsAt + 3650 * day }
    const admin = await createAuthority({ name: 'admin', validity })
    await client.create(configMaps, {
      metadata: administrators,
      data: { 'ca-bundle.crt': admin.certificate },
    })
    await client.create(trustRotations, rotation)
    const { name } = rotation.metadata
    const prober = await Prober.make({
      client,
      clock,
      target: kubelets.target,
      rotation: name,
      ...holders,
    })
    const directory = await mkdtempDisposable(join(tmpdir(), 'machinist-doors-'))
    const made = new ProbedLane({ lane, issued, prober, rotation: name, lines, directory })
    lane.operate()
    lane.sign()
    return made
  }

  private constructor(parts: {
    lane: WholeLane
    issued: Issued
    prober: Prober
    rotation: string
    lines: ReadonlyMap<string, CutLine>
    directory: Awaited<ReturnType<typeof mkdtempDisposable>>
  }) {
    this.lane = parts.lane
    this.issued = parts.issued
    this.prober = parts.prober
    this.rotation = parts.rotation
    this.#lines = parts.lines
    this.#directory = parts.directory
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.prober[Symbol.asyncDispose]()
    await this.lane[Symbol.asyncDispose]()
    await this.#directory[Symbol.asyncDispose]()
  }

  /** A machine joins. What an installer would have put on its disk is there, if it is given. */
  async join(name: string, bundle?: string): Promise<LaneNode> {
    const { clock } = this.lane
    const host = await openSandbox({ root: this.#root(name), clock, plainLinks: true })
    const node = await this.lane.join(name, { host })
    if (bundle !== undefined) await node.put(nodePaths.kubeletCA, bundle)
    return node
  }

  /** Its kubelet starts, with what it finds on the disk. */
  async openDoor(name: string): Promise<void> {
    await this.prober.open(name, join(this.#root(name), nodePaths.kubeletCA), everyMs)
  }

  /** The daemon of a node hears and says nothing from now on. */
  cut(node: string): void {
    this.#lines.get(`node ${node}`)!.cut()
  }

  reconnect(node: string): void {
    this.#lines.get(`node ${node}`)!.join()
  }

  /** Waits while callers go to all doors, all the time. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    return this.lane.until(what, async () => {
      if (this.prober.doors.length > 0) await this.prober.round()
      return await holds()
    })
  }

  /** As long as this, by the clock of the cluster. */
  pass(ms: number): Promise<void> {
    const end = this.lane.clock.elapsed() + ms
    return this.until('time has passed', () => this.lane.clock.elapsed() >= end)
  }

  complete(): Promise<void> {
    return this.until('the rotation is complete', () =>
      isCompleted(this.lane.client, this.rotation),
    )
  }

  #root(name: string): string {
    return join(this.#directory.path, name)
  }
}
