import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport/transport'
import { createAuthority } from '@machinist/pki/issue'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { TrustRotation } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { openSandbox } from '../../../src/daemon/host/sandbox/sandbox.ts'
import type { LaneNode } from '../trust/whole-lane.ts'
import { WholeLane } from '../trust/whole-lane.ts'
import { CuttableTransport } from './cuttable-transport.ts'
import { isCompleted, makeNamespace } from './rotation-operations.ts'
import { Issued } from './issued.ts'
import type { ProberOptions } from './prober.ts'
import { Prober } from './prober.ts'
import { administrators, kubelets } from './rotations.ts'

const day = 86_400_000
/** The delays of clients before they use a new certificate. */
export type Holders = Pick<ProberOptions, 'lagsMs' | 'deliveryMs'>

/** The read interval of kubelets, relative to the settle time. */
const everyMs = 30_000

/**
 * Operator, signer and nodes whose machines are directories, with a kubelet server for each that clients call all the time.
 * Components use virtual time and TLS uses real time: virtual time is some days behind.
 */
export class ProbedLane implements AsyncDisposable {
  readonly lane: WholeLane
  readonly issued: Issued
  readonly prober: Prober
  readonly rotation: string
  readonly #lines: ReadonlyMap<string, CuttableTransport>
  readonly #directory: Awaited<ReturnType<typeof mkdtempDisposable>>

  static async open(rotation: TrustRotation, holders: Holders): Promise<ProbedLane> {
    const lines = new Map<string, CuttableTransport>()
    const issued = new Issued(() => lane.clock)
    const between = (who: string, inner: Transport): Transport => {
      if (who === 'signer') return issued.through(inner)
      const line = new CuttableTransport(inner)
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
    const directory = await mkdtempDisposable(join(tmpdir(), 'machinist-servers-'))
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
    lines: ReadonlyMap<string, CuttableTransport>
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

  /** A machine joins, optionally with the bundle of its installer. */
  async join(name: string, bundle?: string): Promise<LaneNode> {
    const { clock } = this.lane
    const host = await openSandbox({ root: this.#root(name), clock, plainLinks: true })
    const node = await this.lane.join(name, { host })
    if (bundle !== undefined) await node.put(nodePaths.kubeletCA, bundle)
    return node
  }

  /** Starts the kubelet server with the file on disk. */
  async startKubelet(name: string): Promise<void> {
    await this.prober.open(name, join(this.#root(name), nodePaths.kubeletCA), everyMs)
  }

  /** Cuts the connection of a node's daemon. */
  cut(node: string): void {
    this.#lines.get(`node ${node}`)!.cut()
  }

  reconnect(node: string): void {
    this.#lines.get(`node ${node}`)!.join()
  }

  /** Waits while clients call all servers. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    return this.lane.until(what, async () => {
      if (this.prober.servers.length > 0) await this.prober.round()
      return await holds()
    })
  }

  /** Waits for a period of virtual time. */
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
