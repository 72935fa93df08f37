import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../../src/api/annotations.ts'
import type { MachineConfigPool } from '../../../src/api/kinds/resources.ts'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import type { Change } from '../api/memory-api.ts'
import type { Cluster } from '../cluster.ts'

/** How long after a decrease of a budget decisions under the previous budget may still take effect. */
const memoryMs = 15 * 60_000

/**
 * The time within which the controllers observe that a node is out of service or a pool is paused: longer than any fault delays a
 * controller.
 */
export const unseenMs = 8 * 60_000

/** A node that the controllers took out of service. */
interface Turn {
  /** Undefined if it does not count: it was out of service before, or a user moved it to another pool. */
  readonly countsFor: string | undefined
}

/**
 * The controllers never disrupt more nodes of a pool than its budget allows. Counted from the API, not from the state of the
 * controllers; the README defines the count.
 */
export class BudgetCheck {
  readonly #cluster: Cluster
  readonly #turns = new Map<string, Turn>()
  readonly #ourCordons = new Set<string>()
  /** Since when a node has been out of service in its pool, for any reason. */
  readonly #outSince = new Map<string, number>()
  readonly #pausedSince = new Map<string, number>()
  /** Nodes with a turn that a restore of the API has lost. */
  readonly #lostTurns = new Set<string>()
  #isRestored = false
  readonly #budgets = new Map<string, { readonly at: number; readonly nodes: number }[]>()
  /** The largest number of nodes of one pool disrupted at once. */
  most = 0
  turns = 0

  constructor(cluster: Cluster) {
    this.#cluster = cluster
    cluster.api.follow((change) => this.#check(change))
  }

  get isQuiet(): boolean {
    return this.#turns.size === 0
  }

  isCordonedByUs(node: string): boolean {
    return this.#ourCordons.has(node)
  }

  /** A restore resets the turns in the API; nodes stay out of service. */
  backup(): () => void {
    const turns = new Map(this.#turns)
    const cordons = new Set(this.#ourCordons)
    return () => {
      this.#isRestored = true
      for (const name of this.#turns.keys()) this.#lostTurns.add(name)
      replace(this.#turns, turns)
      this.#ourCordons.clear()
      for (const name of cordons) this.#ourCordons.add(name)
      this.#outSince.clear()
      this.#pausedSince.clear()
      for (const node of this.#cluster.list(nodes)) this.#noteService(node)
      this.#measure()
    }
  }

  /** A daemon requested a reboot. */
  rebootRequested(name: string): void {
    if (this.#turns.has(name) || this.#lostTurns.has(name)) return
    this.#cluster.violated('only a node that has its turn reboots', name)
  }

  #check(change: Change): void {
    if (change.resource === '/nodes') this.#checkNode(change)
    if (change.resource.endsWith('/machineconfigpools')) this.#measure()
  }

  #checkNode({ object, before, actor, type }: Change): void {
    const node = object as Node
    const { name } = node.metadata
    if (type === 'DELETED') {
      this.#outSince.delete(name)
      return void this.#turns.delete(name)
    }
    if (!before) return this.#measure()
    const was = before as Node
    const isMoved = poolOf(was) !== poolOf(node)
    if (isMoved) {
      this.#measure()
      this.#outSince.delete(name)
      if (this.#turns.has(name)) this.#turns.set(name, { countsFor: undefined })
    }
    this.#noteCordon(was, node, actor)
    const isAssigned = annotation(was, 'desiredConfig') !== annotation(node, 'desiredConfig')
    if (isAssigned && actor === 'controllers') this.#assigned(was, node)
    this.#noteService(node)
  }

  #noteService(node: Node): void {
    const { name } = node.metadata
    if (isInService(node)) {
      this.#turns.delete(name)
      this.#outSince.delete(name)
    } else if (!this.#outSince.has(name)) {
      this.#outSince.set(name, this.#cluster.clock.elapsed())
    }
  }

  #noteCordon(was: Node, node: Node, actor: string): void {
    const { name } = node.metadata
    const isCordoned = node.spec?.unschedulable === true
    if (!isCordoned) this.#ourCordons.delete(name)
    else if (was.spec?.unschedulable !== true && actor === 'controllers') {
      this.#ourCordons.add(name)
      if (this.#turns.has(name)) return
      if (this.#isRestored) return this.#beginTurn(node, takesPods(was))
      this.#cluster.violated('only a node with another desired config is cordoned', name)
    }
  }

  #assigned(was: Node, node: Node): void {
    const { name } = node.metadata
    const pausedFor =
      this.#cluster.clock.elapsed() - (this.#pausedSince.get(poolOf(node)) ?? Infinity)
    if (pausedFor >= unseenMs) this.#cluster.violated('a paused pool updates no node', name)
    if (!this.#turns.has(name)) this.#beginTurn(node, isServing(was))
  }

  #beginTurn(node: Node, wasServing: boolean): void {
    const { name } = node.metadata
    this.#lostTurns.delete(name)
    if (!wasServing) return void this.#turns.set(name, { countsFor: undefined })
    const pool = poolOf(node)
    this.#turns.set(name, { countsFor: pool })
    this.turns += 1
    const disrupted = this.#disrupted(pool)
    this.most = Math.max(this.most, disrupted.length)
    const allowed = this.#allowed(pool)
    if (disrupted.length <= allowed) return
    this.#cluster.violated(
      'never more nodes disrupted than the budget',
      `pool ${pool} allows ${allowed}, and ${disrupted.join()} are disrupted`,
    )
  }

  /** Nodes disrupted by the controllers, and nodes out of service for so long that the controllers have observed it. */
  #disrupted(pool: string): string[] {
    const known = this.#cluster.clock.elapsed() - unseenMs
    return this.#cluster.list(nodes).flatMap((node) => {
      const { name } = node.metadata
      const isByUs = this.#turns.get(name)?.countsFor === pool
      const isLost = poolOf(node) === pool && (this.#outSince.get(name) ?? Infinity) <= known
      return isByUs || isLost ? [name] : []
    })
  }

  #allowed(pool: string): number {
    const since = this.#cluster.clock.elapsed() - memoryMs
    const known = this.#budgets.get(pool) ?? []
    const inForce = known.filter((_, i) => (known[i + 1]?.at ?? Infinity) >= since)
    return Math.max(...inForce.map(({ nodes: allowed }) => allowed))
  }

  /** Records the current budgets of the pools. */
  #measure(): void {
    const members = this.#cluster.list(nodes)
    for (const pool of this.#cluster.list(machineConfigPools)) {
      const { name } = pool.metadata
      const size = members.filter((node) => poolOf(node) === name).length
      const known = this.#budgets.get(name) ?? []
      const allowed = budgetOf(pool, size)
      if (known.at(-1)?.nodes !== allowed) {
        known.push({ at: this.#cluster.clock.elapsed(), nodes: allowed })
      }
      this.#budgets.set(name, known)
      if (!pool.spec.paused) this.#pausedSince.delete(name)
      else if (!this.#pausedSince.has(name)) {
        this.#pausedSince.set(name, this.#cluster.clock.elapsed())
      }
    }
  }
}

function replace<K, V>(map: Map<K, V>, other: ReadonlyMap<K, V>): void {
  map.clear()
  for (const [key, value] of other) map.set(key, value)
}

/** The budget as documented for maxUnavailable. */
function budgetOf({ metadata, spec }: MachineConfigPool, size: number): number {
  const { maxUnavailable = 1 } = spec
  if (metadata.name === 'master') return 1
  const requested =
    typeof maxUnavailable === 'number'
      ? maxUnavailable
      : Math.floor((parseInt(maxUnavailable, 10) * size) / 100)
  return Math.max(1, size > 1 ? Math.min(requested, size - 1) : requested)
}

/** The pool of a node: control plane, then custom pool, then worker. */
export function poolOf({ metadata }: Node): string {
  const has = (role: string): boolean =>
    metadata.labels?.[`node-role.kubernetes.io/${role}`] !== undefined
  return ['master', 'infra', 'worker'].find(has) ?? 'none'
}

export const annotation = ({ metadata }: Node, key: keyof typeof nodeAnnotations): string =>
  metadata.annotations?.[nodeAnnotations[key]] ?? ''

/** Serves, and its daemon reports Done. */
const isInService = (node: Node): boolean => isServing(node) && annotation(node, 'state') === 'Done'

/** Takes pods in its desired config, even if it is Degraded or Working. */
const isServing = (node: Node): boolean =>
  annotation(node, 'currentConfig') === annotation(node, 'desiredConfig') && takesPods(node)

const takesPods = ({ spec, status }: Node): boolean =>
  !spec?.unschedulable && status?.conditions?.[0]?.status === 'True'
