import type { Clock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { isOlder } from '@machinist/kube/informer/version-order'
import type { Lister } from '@machinist/kube/informer/informer'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes as nodeResource } from '@machinist/kube/kinds/core'
import type { OwnWrites } from '@machinist/kube/informer/own-writes'
import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import { names, pools as builtIn } from '../../api/names.ts'
import { nodeReasons } from '../../api/reasons.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
  MachineOSBuild,
  MachineOSConfig,
} from '../../api/kinds/resources.ts'
import { describeOtherMaker, otherMakerOf } from '../../api/maker.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { holdOf } from '../../fleet/pools/hold.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import type { Newcomer } from '../../fleet/rollout/first-boot.ts'
import { newcomerFrom } from '../../fleet/rollout/first-boot.ts'
import { drainBlockReason } from '../../fleet/rollout/blockers.ts'
import type { ImageState } from '../../fleet/rollout/layering.ts'
import { buildFor, imageState } from '../../fleet/rollout/layering.ts'
import type { NodeFacts } from '../../fleet/rollout/node-facts.ts'
import { factsOf, isDegraded, isTargetedAt, isUnavailable } from '../../fleet/rollout/node-facts.ts'
import { targetOf } from '../../fleet/rollout/situation.ts'
import { turnState } from '../../fleet/rollout/turns.ts'
import type { Membership } from './membership.ts'
import { recordOf, seenTurns } from './seen-turns.ts'

/** The caches that a rollout reads, without kinds that the cluster does not have. */
export interface RolloutCaches {
  readonly pools: Lister<MachineConfigPool>
  readonly nodes: Lister<Node>
  readonly machineConfigNodes?: Lister<MachineConfigNode>
  /** Configs that nodes booted into; read by name only. */
  readonly machineConfigs?: Lister<MachineConfig>
  readonly controllerConfigs?: Lister<ControllerConfig>
  readonly osConfigs?: Lister<MachineOSConfig>
  readonly osBuilds?: Lister<MachineOSBuild>
  /** Only the pods of the operator (`k8s-app=machine-config-operator`). */
  readonly operatorPods?: Lister<Pod>
}

export interface RolloutSources {
  readonly caches: RolloutCaches
  readonly membership: Membership
  readonly writtenPools: OwnWrites<MachineConfigPool>
  readonly writtenNodes: OwnWrites<Node>
  readonly client: KubeClient
  readonly clock: Clock
  /** The release whose rules decide the effect of an update; the newest by default. */
  readonly release?: Release
}

/** All facts about one pool; undefined if it does not exist. */
export async function gather(
  sources: RolloutSources,
  name: string,
  signal?: AbortSignal,
): Promise<RolloutFacts | undefined> {
  const { caches, membership, writtenPools, client, clock } = sources
  const pool = writtenPools.newest(name, caches.pools.get(name))
  if (!pool) return undefined
  const seen = await seenTurns(client, recordOf(pool), membersOf(sources, name), signal)
  const members = seen.nodes
  const controllerConfig = caches.controllerConfigs?.get(names.controllerConfig)
  const topology = controllerConfig?.spec.infra?.status?.controlPlaneTopology
  const operatorNode = operatorNodeIn(caches)
  const waitReason = await waitReasonOf(sources, name, signal)
  const selectorProblem = membership.problem(name)
  return {
    pool,
    nodes: members,
    left: await leftOf(sources, pool, signal),
    restored: seen.restored,
    contested: membership.contestedNodes(name),
    image: imageOf(caches, pool),
    newcomers: newcomersIn(caches, members),
    blockedDrains: blockedDrainsOf(caches, members),
    driftedSince: driftedSinceIn(caches, members),
    certificates: controllerConfig?.status?.controllerCertificates ?? [],
    now: clock.now(),
    ...holdIn(sources, pool, members),
    ...(selectorProblem !== undefined && { selectorProblem }),
    ...(operatorNode !== undefined && { operatorNode }),
    ...(waitReason !== undefined && { waitReason }),
    ...(topology && { topology }),
  }
}

function membersOf(
  { caches, membership, writtenNodes }: RolloutSources,
  pool: string,
): NodeFacts[] {
  const members: NodeFacts[] = []
  for (const name of membership.members(pool)) {
    const node = writtenNodes.newest(name, caches.nodes.get(name))
    if (node) members.push(factsOf(node))
  }
  return members
}

/** Considers the current and desired configs of the nodes, and the pool's last completed config. */
function holdIn(
  { caches: { machineConfigs }, release }: RolloutSources,
  { spec, status }: Readonly<MachineConfigPool>,
  nodes: readonly NodeFacts[],
): Pick<RolloutFacts, 'hold' | 'isForeignTarget'> {
  const target = spec.configuration?.name
  if (!machineConfigs || !target) return {}
  const desired = machineConfigs.get(target)
  if (desired && otherMakerOf(desired) !== undefined) {
    return { hold: { config: target, maker: describeOtherMaker(desired) }, isForeignTarget: true }
  }
  const inUse = new Set([status?.configuration?.name])
  for (const { current, desired: desiredConfig } of nodes) inUse.add(current).add(desiredConfig)
  const found = [...inUse].flatMap((name) => (name ? (machineConfigs.get(name) ?? []) : []))
  const hold = holdOf(found, desired, release)
  return hold ? { hold } : {}
}

/** A node that is not in the cache may be deleted, or newer than the cache: only the API server knows. */
async function leftOf(
  { caches, membership, client }: RolloutSources,
  pool: Readonly<MachineConfigPool>,
  signal?: AbortSignal,
): Promise<Set<string>> {
  const { turns } = recordOf(pool)
  const members = membership.members(pool.metadata.name)
  const left = new Set<string>()
  for (const [name, { from }] of turns) {
    if (members.has(name)) continue
    const elsewhere = caches.nodes.get(name)
    const hasMoved = elsewhere && isOlder(elsewhere.metadata.resourceVersion, from) === false
    if (hasMoved || (!elsewhere && !(await exists(client, name, signal)))) left.add(name)
  }
  return left
}

async function exists(client: KubeClient, name: string, signal?: AbortSignal): Promise<boolean> {
  const found = await ignoreNotFound(client.getMetadata(nodeResource, { name }, { signal }))
  return found !== undefined
}

/** Nodes that booted into a custom pool and lack its labels. */
function newcomersIn(
  { machineConfigs, pools }: RolloutCaches,
  nodes: readonly NodeFacts[],
): Map<string, Newcomer> {
  const newcomers = new Map<string, Newcomer>()
  if (!machineConfigs) return newcomers
  for (const { name, firstPivot } of nodes) {
    const newcomer =
      firstPivot === undefined
        ? undefined
        : newcomerFrom(machineConfigs.get(firstPivot), (pool) => pools.get(pool))
    if (newcomer) newcomers.set(name, newcomer)
  }
  return newcomers
}

/** Why requested drains are blocked, as the drain controller reports on MachineConfigNodes. */
function blockedDrainsOf({ machineConfigNodes }: RolloutCaches, nodes: readonly NodeFacts[]) {
  const drains = new Map<string, string>()
  for (const { name, draining } of nodes) {
    if (!draining) continue
    const conditions = machineConfigNodes?.get(name)?.status?.conditions
    const drained = conditionOf(conditions, nodeConditions.drained)
    const reason = drainBlockReason(drained)
    if (reason !== undefined) drains.set(name, reason)
  }
  return drains
}

function driftedSinceIn({ machineConfigNodes }: RolloutCaches, nodes: readonly NodeFacts[]) {
  const since = new Map<string, string>()
  for (const node of nodes) {
    if (!isDegraded(node)) continue
    const conditions = machineConfigNodes?.get(node.name)?.status?.conditions
    const degraded = conditionOf(conditions, nodeConditions.nodeDegraded)
    if (degraded?.reason !== nodeReasons.drifted || !degraded.lastTransitionTime) continue
    since.set(node.name, degraded.lastTransitionTime)
  }
  return since
}

/** Undefined with several pods: the leader among them is not known. */
function operatorNodeIn({ operatorPods }: RolloutCaches): string | undefined {
  const [pod, ...others] = operatorPods?.list() ?? []
  return others.length === 0 ? pod?.spec?.nodeName : undefined
}

function imageOf(caches: RolloutCaches, pool: Readonly<MachineConfigPool>): ImageState {
  const { name } = pool.metadata
  const config = caches.osConfigs?.list().find(({ spec }) => spec.machineConfigPool.name === name)
  const rendered = pool.spec.configuration?.name ?? ''
  return imageState(config, config && buildFor(config, rendered, caches.osBuilds?.list() ?? []))
}

/** Arbiter and control plane share a quorum: only one of them is disrupted at a time, the control plane first. */
async function waitReasonOf(
  sources: RolloutSources,
  name: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!sources.caches.pools.get(builtIn.arbiter)) return undefined
  if (name === builtIn.master) {
    const away = await awayIn(sources, builtIn.arbiter, signal)
    return away === undefined ? undefined : `the arbiter ${away} is out of service`
  }
  if (name !== builtIn.arbiter) return undefined
  const away = await awayIn(sources, builtIn.master, signal)
  if (away !== undefined) return `the control plane's ${away} is out of service`
  const master = sources.caches.pools.get(builtIn.master)
  const target = master && targetOf({ pool: master, image: imageOf(sources.caches, master) })
  if (!target || master.spec.paused) return undefined
  const waiting = membersOf(sources, builtIn.master).find((node) => !isTargetedAt(node, target))
  return waiting && `the control plane's ${waiting.name} goes first`
}

/** A node of the pool that does not serve, or has an open turn. */
async function awayIn(
  sources: RolloutSources,
  name: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const record = recordOf(sources.writtenPools.newest(name, sources.caches.pools.get(name)))
  const cached = membersOf(sources, name)
  const { nodes, restored } = await seenTurns(sources.client, record, cached, signal)
  const away = nodes.find(isUnavailable)
  if (away) return away.name
  const open = nodes.find((node) => {
    const turn = restored.has(node.name) ? undefined : record.turns.get(node.name)
    return turn && ['given', 'taken'].includes(turnState(turn, node).type)
  })
  return open?.name
}
