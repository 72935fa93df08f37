import { machineConfigPools } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client'
import { mergePatch } from '@machinist/kube/patch'
import { ClusterLook, nodesOf } from './cluster-look.ts'
import type { Seen } from './conclude.ts'
import { conclude } from './conclude.ts'
import { diskChange } from './disk-snapshot.ts'
import { Disruptions } from './disruptions.ts'
import type {
  Authority,
  ComparedPool,
  IssuerOnly,
  Rotation,
  RotationEnd,
} from '../../views/compare/facts.ts'
import type { ObservedOptions } from './observed-cluster.ts'
import { ObservedCluster } from './observed-cluster.ts'
import { sum } from '../../views/compare/counts.ts'
import { currentAuthority, setNodeSettle, signersRotation, takeAnnotation } from './signer.ts'
import { waitFor } from './waiting.ts'

export interface MeasureOptions extends ObservedOptions {
  /** Called when something begins. */
  readonly phase: (what: string) => void
}

/** How many phases there are, for whoever counts them. */
export const phaseCount = 6

const startPatienceMs = 120_000
const rotationPatienceMs = 120_000
/** A rollout goes from node to node. */
const patiencePerNodeMs = 5000
/** Nothing more is to come once daemons have not asked for anything for this long. */
const quietMs = 2000
/** How long to look whether the signer does something without a reason. */
const issuerOnlyMs = 2000
/** So long that nothing is signed by the new CA, and the old one stays, while the way of the new one is measured. */
const held = '1h'

/** Rotates the kubelets' signer on a cluster of its own, and tells what could be seen of it. */
export async function measureRotation(
  options: MeasureOptions,
  signal: AbortSignal,
): Promise<Rotation> {
  options.phase(`starting ${nodesOf(options.pools).length} nodes`)
  const observed = await ObservedCluster.start(options)
  try {
    return conclude(await new Measurement(observed, options, signal).run(), observed)
  } finally {
    await observed.stop()
  }
}

class Measurement {
  readonly #observed: ObservedCluster
  readonly #options: MeasureOptions
  readonly #signal: AbortSignal
  readonly #client: KubeClient
  readonly #look: ClusterLook

  constructor(observed: ObservedCluster, options: MeasureOptions, signal: AbortSignal) {
    this.#observed = observed
    this.#options = options
    this.#signal = signal
    this.#client = observed.cluster.client
    this.#look = new ClusterLook(this.#client, observed.disks, options.pools)
  }

  async run(): Promise<Seen> {
    const { phase, pools, clock } = this.#options
    const look = this.#look
    const first = await this.#settledAtFirst()
    const paused = pools.filter((pool) => pool.paused)
    phase(`pausing pool ${paused.map(({ name }) => name).join(', ')}`)
    const letGo = await this.#prepare(paused)
    phase('taking only certificate-issuer from the signer')
    const issuerOnly = await this.#takeIssuer(first)
    phase('taking certificate-not-after from the signer')
    const disks = await look.disks()
    const known = new Set((await look.renderedConfigs()).map(({ name }) => name))
    const disruptions = new Disruptions(this.#observed.cluster.sight.nodes)
    const from = clock.now()
    await takeAnnotation(this.#client, 'notAfter')
    const { authority, missed } = await this.#arrival(first)
    phase('waiting until nodes have nothing more to say')
    await this.#quiet()
    disruptions.stop()
    const span = { from, until: clock.now() }
    const configs = await look.renderedConfigs()
    const nodes = await look.seenNodes(disks, disruptions, { authority, since: from })
    phase('letting the rotation go on')
    await letGo()
    const end = await this.#end(first)
    const newConfigs = configs.filter(({ name }) => !known.has(name))
    return { authority, missed, issuerOnly, newConfigs, nodes, span, end }
  }

  /** All nodes are in their configs and let in whoever the signer vouches for. */
  async #settledAtFirst(): Promise<Authority> {
    const { pools } = this.#options
    let authority: Authority | undefined
    const isSettled = async (): Promise<boolean> => {
      authority = await currentAuthority(this.#client)
      return (
        authority !== undefined &&
        (await this.#look.areUpdated(pools)) &&
        (await this.#haveAll(pools, authority))
      )
    }
    if ((await this.#wait(isSettled, startPatienceMs)) && authority) return authority
    throw new InvalidInput(
      `the cluster was not ready within ${startPatienceMs / 1000} s; with --data its log is kept, in up.log`,
    )
  }

  /** Whoever calls the answer lets go on what is held up here. */
  async #prepare(paused: readonly ComparedPool[]): Promise<() => Promise<void>> {
    for (const { name } of paused) {
      await this.#client.patch(machineConfigPools, { name }, mergePatch({ spec: { paused: true } }))
    }
    const rotation = await signersRotation(this.#client)
    if (rotation) await setNodeSettle(this.#client, rotation, held)
    await this.#quiet()
    return async () => {
      if (rotation) await setNodeSettle(this.#client, rotation, rotation.spec.nodeSettle)
    }
  }

  async #takeIssuer(before: Authority): Promise<IssuerOnly> {
    const { clock } = this.#options
    const disks = await this.#look.disks()
    const since = clock.elapsed()
    await takeAnnotation(this.#client, 'issuer')
    const hasRotated = async (): Promise<boolean> =>
      (await currentAuthority(this.#client))?.fingerprint !== before.fingerprint
    const rotated = await this.#wait(hasRotated, issuerOnlyMs)
    const seconds = (clock.elapsed() - since) / 1000
    const written = [...(await this.#look.disks())].map(
      ([node, { files }]) => diskChange(disks.get(node)!.files, files).written.length,
    )
    return { seconds, rotated, filesWritten: sum(written) }
  }

  /** A new CA is made, and whoever is to have it has it: those in paused pools only if it comes to them past configs. */
  async #arrival(before: Authority): Promise<Pick<Seen, 'authority' | 'missed'>> {
    const { pools, delivery } = this.#options
    const patienceMs = rotationPatienceMs + nodesOf(pools).length * patiencePerNodeMs
    let authority: Authority | undefined
    const isMade = async (): Promise<boolean> => {
      const now = await currentAuthority(this.#client)
      if (now?.fingerprint !== before.fingerprint) authority = now
      return authority !== undefined
    }
    await this.#wait(isMade, rotationPatienceMs)
    if (!authority) return { authority, missed: 'a new CA in the signer' }
    const made = authority
    const running = pools.filter(({ paused }) => !paused)
    const reached = delivery === 'direct' ? pools : running
    if (!(await this.#wait(() => this.#haveAll(reached, made), patienceMs))) {
      return { authority, missed: 'the new CA on every node that is to have it' }
    }
    const isInTime = await this.#wait(() => this.#look.areUpdated(running), patienceMs)
    return { authority, missed: isInTime ? undefined : 'pools that are updated' }
  }

  /** Until the rotation is over, or waits for nobody but nodes in paused pools. */
  async #end(old: Authority): Promise<RotationEnd> {
    const paused = nodesOf(this.#options.pools).filter((node) => node.paused)
    const names = new Set(paused.map(({ name }) => name))
    let told: Omit<RotationEnd, 'holdingOld'> = { phase: 'unknown', laggards: [] }
    const isEnd = async (): Promise<boolean> => {
      const { status } = (await signersRotation(this.#client)) ?? {}
      const laggards = (status?.nodes?.laggards ?? []).map(({ name }) => name).toSorted()
      told = { phase: status?.phase ?? 'unknown', laggards }
      const isStuck = laggards.length > 0 && laggards.every((name) => names.has(name))
      return told.phase === 'Completed' || isStuck
    }
    await this.#wait(isEnd, rotationPatienceMs)
    await this.#quiet()
    const holding = await this.#look.trusting(this.#options.pools, old)
    return { ...told, holdingOld: holding.length }
  }

  async #quiet(): Promise<void> {
    const { clock } = this.#options
    await this.#wait(() => clock.now() - this.#observed.lastAsked >= quietMs, rotationPatienceMs)
  }

  /** On their disks, and told: what a node tells comes last. */
  async #haveAll(pools: readonly ComparedPool[], authority: Authority): Promise<boolean> {
    const { length } = nodesOf(pools)
    return (
      (await this.#look.trusting(pools, authority)).length === length &&
      (await this.#look.telling(pools, authority)).length === length
    )
  }

  #wait(condition: () => boolean | Promise<boolean>, patienceMs: number): Promise<boolean> {
    return waitFor(condition, { clock: this.#options.clock, signal: this.#signal, patienceMs })
  }
}
