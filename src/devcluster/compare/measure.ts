import { InvalidInput } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type {
  ComparedAuthority,
  ComparedPool,
  IssuerOnly,
  ComparedRotation,
  RotationEnd,
} from '../../views/compare/facts.ts'
import { sum } from '../../views/compare/counts.ts'
import { ClusterInspection, nodesOf } from './cluster-inspection.ts'
import type { Observations } from './summarize-rotation.ts'
import { summarizeRotation } from './summarize-rotation.ts'
import { diskChange } from './disk-snapshot.ts'
import { Disruptions } from './disruptions.ts'
import type { ObservedOptions } from './observed-cluster.ts'
import { ObservedCluster } from './observed-cluster.ts'
import { currentAuthority, setNodeSettle, findSignerRotation, removeAnnotation } from './signer.ts'
import { waitFor } from './wait-for.ts'

export interface MeasureOptions extends ObservedOptions {
  /** Called when a phase begins. */
  readonly phase: (what: string) => void
}

/** The number of phases. */
export const phaseCount = 6

const startTimeoutMs = 120_000
const rotationTimeoutMs = 120_000
/** A rollout updates one node after the other. */
const timeoutPerNodeMs = 5000
/** Without requests of daemons for this long, the cluster is quiet. */
const quietMs = 2000
/** How long to wait for an unexpected reaction of the signer. */
const issuerOnlyMs = 2000
/** A settle time that keeps the rotation from proceeding while the delivery of the new CA is measured. */
const longSettle = '1h'

/** Rotates the signer of the kubelet client CA on a new cluster and measures the rotation. */
export async function measureRotation(
  options: MeasureOptions,
  signal: AbortSignal,
): Promise<ComparedRotation> {
  options.phase(`starting ${nodesOf(options.pools).length} nodes`)
  const observed = await ObservedCluster.start(options)
  try {
    return summarizeRotation(
      await new RotationMeasurement(observed, options, signal).run(),
      observed,
    )
  } finally {
    await observed.stop()
  }
}

class RotationMeasurement {
  readonly #observed: ObservedCluster
  readonly #options: MeasureOptions
  readonly #signal: AbortSignal
  readonly #client: KubeClient
  readonly #inspection: ClusterInspection

  constructor(observed: ObservedCluster, options: MeasureOptions, signal: AbortSignal) {
    this.#observed = observed
    this.#options = options
    this.#signal = signal
    this.#client = observed.cluster.client
    this.#inspection = new ClusterInspection(this.#client, observed.disks, options.pools)
  }

  async run(): Promise<Observations> {
    const { phase, pools, clock } = this.#options
    const inspection = this.#inspection
    const first = await this.#waitUntilSettled()
    const paused = pools.filter((pool) => pool.paused)
    phase(`pausing pool ${paused.map(({ name }) => name).join(', ')}`)
    const release = await this.#prepare(paused)
    phase('removing only certificate-issuer from the signer')
    const issuerOnly = await this.#removeIssuer(first)
    phase('removing certificate-not-after from the signer')
    const disks = await inspection.disks()
    const known = new Set((await inspection.renderedConfigs()).map(({ name }) => name))
    const disruptions = new Disruptions(this.#observed.cluster.caches.nodes)
    const from = clock.now()
    await removeAnnotation(this.#client, 'notAfter')
    const { authority, missed } = await this.#waitForDelivery(first)
    phase('waiting until nodes send no more requests')
    await this.#waitUntilQuiet()
    disruptions.stop()
    const span = { from, until: clock.now() }
    const configs = await inspection.renderedConfigs()
    const nodes = await inspection.inspectNodes(disks, disruptions, { authority, since: from })
    phase('resuming the rotation')
    await release()
    const end = await this.#waitForEnd(first)
    const newConfigs = configs.filter(({ name }) => !known.has(name))
    return { authority, missed, issuerOnly, newConfigs, nodes, span, end }
  }

  /** Waits until all nodes run their config and trust the CA of the signer. */
  async #waitUntilSettled(): Promise<ComparedAuthority> {
    const { pools } = this.#options
    let authority: ComparedAuthority | undefined
    const isSettled = async (): Promise<boolean> => {
      authority = await currentAuthority(this.#client)
      return (
        authority !== undefined &&
        (await this.#inspection.areUpdated(pools)) &&
        (await this.#haveAll(pools, authority))
      )
    }
    if ((await this.#wait(isSettled, startTimeoutMs)) && authority) return authority
    throw new InvalidInput(
      `the cluster was not ready within ${startTimeoutMs / 1000} s; use --data to keep its log, up.log`,
    )
  }

  /** Pauses pools and the rotation. The returned function resumes the rotation. */
  async #prepare(paused: readonly ComparedPool[]): Promise<() => Promise<void>> {
    for (const { name } of paused) {
      await this.#client.patch(machineConfigPools, { name }, mergePatch({ spec: { paused: true } }))
    }
    const rotation = await findSignerRotation(this.#client)
    if (rotation) await setNodeSettle(this.#client, rotation, longSettle)
    await this.#waitUntilQuiet()
    return async () => {
      if (rotation) await setNodeSettle(this.#client, rotation, rotation.spec.nodeSettle)
    }
  }

  async #removeIssuer(before: ComparedAuthority): Promise<IssuerOnly> {
    const { clock } = this.#options
    const disks = await this.#inspection.disks()
    const since = clock.elapsed()
    await removeAnnotation(this.#client, 'issuer')
    const hasRotated = async (): Promise<boolean> =>
      (await currentAuthority(this.#client))?.fingerprint !== before.fingerprint
    const rotated = await this.#wait(hasRotated, issuerOnlyMs)
    const seconds = (clock.elapsed() - since) / 1000
    const written = [...(await this.#inspection.disks())].map(
      ([node, { files }]) => diskChange(disks.get(node)!.files, files).written.length,
    )
    return { seconds, rotated, filesWritten: sum(written) }
  }

  /** Waits for a new CA and its delivery. Nodes in paused pools receive it only with direct delivery. */
  async #waitForDelivery(
    before: ComparedAuthority,
  ): Promise<Pick<Observations, 'authority' | 'missed'>> {
    const { pools, delivery } = this.#options
    const timeoutMs = rotationTimeoutMs + nodesOf(pools).length * timeoutPerNodeMs
    let authority: ComparedAuthority | undefined
    const isCreated = async (): Promise<boolean> => {
      const now = await currentAuthority(this.#client)
      if (now?.fingerprint !== before.fingerprint) authority = now
      return authority !== undefined
    }
    await this.#wait(isCreated, rotationTimeoutMs)
    if (!authority) return { authority, missed: 'a new CA in the signer' }
    const created = authority
    const running = pools.filter(({ paused }) => !paused)
    const reached = delivery === 'direct' ? pools : running
    if (!(await this.#wait(() => this.#haveAll(reached, created), timeoutMs))) {
      return { authority, missed: 'the new CA on every node that receives it' }
    }
    const isInTime = await this.#wait(() => this.#inspection.areUpdated(running), timeoutMs)
    return { authority, missed: isInTime ? undefined : 'updated pools' }
  }

  /** Waits until the rotation is completed, or waits only for nodes in paused pools. */
  async #waitForEnd(old: ComparedAuthority): Promise<RotationEnd> {
    const paused = nodesOf(this.#options.pools).filter((node) => node.paused)
    const names = new Set(paused.map(({ name }) => name))
    let reported: Omit<RotationEnd, 'holdingOld'> = { phase: 'unknown', laggards: [] }
    const isEnd = async (): Promise<boolean> => {
      const { status } = (await findSignerRotation(this.#client)) ?? {}
      const laggards = (status?.nodes?.laggards ?? []).map(({ name }) => name).toSorted()
      reported = { phase: status?.phase ?? 'unknown', laggards }
      const isStuck = laggards.length > 0 && laggards.every((name) => names.has(name))
      return reported.phase === 'Completed' || isStuck
    }
    await this.#wait(isEnd, rotationTimeoutMs)
    await this.#waitUntilQuiet()
    const holding = await this.#inspection.trusting(this.#options.pools, old)
    return { ...reported, holdingOld: holding.length }
  }

  async #waitUntilQuiet(): Promise<void> {
    const { clock } = this.#options
    await this.#wait(() => clock.now() - this.#observed.lastRequestAt >= quietMs, rotationTimeoutMs)
  }

  /** Whether all nodes have the CA on disk and have reported it, which they do last. */
  async #haveAll(pools: readonly ComparedPool[], authority: ComparedAuthority): Promise<boolean> {
    const { length } = nodesOf(pools)
    return (
      (await this.#inspection.trusting(pools, authority)).length === length &&
      (await this.#inspection.reporting(pools, authority)).length === length
    )
  }

  #wait(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
    return waitFor(condition, { clock: this.#options.clock, signal: this.#signal, timeoutMs })
  }
}
