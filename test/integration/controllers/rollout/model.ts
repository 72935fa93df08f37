import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations, ownPoolAnnotations } from '../../../../src/api/annotations.ts'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import type { RolloutPlan } from '../../../../src/controllers/rollout/decide.ts'
import { decide } from '../../../../src/controllers/rollout/decide.ts'
import type { NodeFacts } from '../../../../src/fleet/rollout/node-facts.ts'
import { factsOf, isDisrupted, isDone } from '../../../../src/fleet/rollout/node-facts.ts'
import type { NodeWrite } from '../../../../src/controllers/rollout/node-writes.ts'
import { statusOf } from '../../../../src/controllers/rollout/status.ts'
import { formatRecord } from '../../../../src/fleet/rollout/turns.ts'
import { pool } from '../../../../src/fleet/pools/pool.fixture.ts'
import { at, node } from '../../../../src/fleet/rollout/scene.fixture.ts'

export interface ModelOptions {
  readonly random: Random
  readonly nodes: number
  readonly budget: number
  /** Nodes become NotReady and Ready without an update. */
  readonly outages: boolean
}

/**
 * A pool, its nodes and their daemons. Keeps every version of every object, so that a controller can read any stale state. A
 * controller may crash between any two writes, and its last writes may arrive long after another controller took over.
 */
export class RolloutModel {
  readonly #options: ModelOptions
  readonly #nodes = new Map<string, Node[]>()
  readonly #pools: MachineConfigPool[]
  readonly #stalled: NodeWrite[] = []
  #version = 100
  #now = Date.parse('2026-03-01T00:00:00Z')

  constructor(options: ModelOptions) {
    this.#options = options
    for (let i = 0; i < options.nodes; i++) {
      const name = `node-${i}`
      this.#nodes.set(name, [node({ name, ...at('good-0'), version: this.#next() })])
    }
    this.#pools = [pool({ target: 'good-0', maxUnavailable: options.budget })]
  }

  /** One random event. */
  step(): void {
    const { random, outages } = this.#options
    this.#now += between(random, 1, 300) * 1000
    const dice = random.next()
    if (dice < 0.42) this.control(false)
    else if (dice < 0.82) this.#work()
    else if (dice < 0.87) this.#deliver()
    else if (dice < 0.92) this.#aim(random.next() < 0.3 ? 'bad' : 'good')
    else if (dice < 0.95) this.#setPool({ paused: random.next() < 0.5 })
    else if (outages) this.#outage(random.next() < 0.4)
  }

  /** A controller reads, decides and writes, on the newest or on stale state. */
  control(isFresh: boolean): RolloutPlan {
    const { random } = this.#options
    const seen = isFresh || random.next() < 0.8 ? this.#pool() : this.#any(this.#pools)
    const isLagging = !isFresh && random.next() < 0.6
    const nodes = Array.from(this.#nodes.values(), (versions) =>
      factsOf(isLagging ? this.#any(versions) : versions.at(-1)!),
    )
    const plan = decide({
      pool: seen,
      nodes,
      left: new Set(),
      contested: [],
      image: { type: 'not layered' },
      blockedDrains: new Map(),
      certificates: [],
      now: this.#now,
    })
    this.#act(plan, seen, isFresh)
    return plan
  }

  /** Without faults: all nodes are Ready, the config is good, and caches are fresh. */
  settle(rounds: number): RolloutPlan {
    this.#outage(true)
    this.#aim('good')
    this.#setPool({ paused: false })
    for (let i = 0; i < rounds; i++) {
      this.#now += 60_000
      this.control(true)
      for (const name of this.#nodes.keys()) this.#workOn(name)
    }
    return this.control(true)
  }

  get disrupted(): number {
    return this.#facts().filter(isDisrupted).length
  }

  /** Nodes that do not run their desired config. */
  get updating(): number {
    return this.#facts().filter((each) => !isDone(each)).length
  }

  #act(plan: RolloutPlan, seen: MachineConfigPool, isFresh: boolean): void {
    const { random } = this.#options
    const crashes = (): boolean => !isFresh && random.next() < 0.15
    if (plan.record) {
      if (crashes() || seen !== this.#pool()) return
      const annotations = { [ownPoolAnnotations.rollout]: formatRecord(plan.record) }
      this.#putPool({ ...seen, metadata: { ...seen.metadata, annotations } })
    }
    for (const write of plan.writes) {
      if (crashes()) return void this.#stalled.push(write)
      this.#patch(write)
    }
    const now = this.#pool()
    if (plan.record || seen === now) this.#putPool({ ...now, status: statusOf(plan) })
  }

  /** Rejected if the node is no longer at the version of the write. */
  #patch({ node: name, version, annotations = {}, taints }: NodeWrite): void {
    const current = this.#node(name)
    if (current.metadata.resourceVersion !== version) return
    const merged = Object.entries({ ...current.metadata.annotations, ...annotations })
    this.#put({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: Object.fromEntries(
          merged.filter((entry): entry is [string, string] => entry[1] !== null),
        ),
      },
      spec: { ...current.spec, ...(taints && { taints: [...taints] }) },
    })
  }

  /** Late writes of crashed controllers arrive. */
  #deliver(): void {
    for (const write of this.#stalled.splice(0)) this.#patch(write)
  }

  #work(): void {
    this.#workOn(this.#any([...this.#nodes.keys()]))
  }

  /** One step of one daemon: start, then succeed or fail; a new desired config starts again. */
  #workOn(name: string): void {
    const current = this.#node(name)
    const { current: runs, desired, state } = factsOf(current)
    if (desired === undefined || (runs === desired && state === 'Done')) return
    if (runs === desired) return this.#report(current, { state: 'Done' }, false)
    if (state !== 'Working') {
      if (state === 'Degraded' && desired.startsWith('bad')) return
      return this.#report(current, { state: 'Working' }, true)
    }
    if (desired.startsWith('bad')) {
      return this.#report(current, { state: 'Degraded', reason: `no ${desired}` }, true)
    }
    this.#report(current, { state: 'Done', currentConfig: desired }, false)
  }

  #report(
    current: Node,
    values: Partial<Record<keyof typeof nodeAnnotations, string>>,
    unschedulable: boolean,
  ): void {
    const changes = Object.entries(values).map(([key, value]) => [
      nodeAnnotations[key as keyof typeof nodeAnnotations],
      value,
    ])
    const annotations = { ...current.metadata.annotations, ...Object.fromEntries(changes) }
    const metadata = { ...current.metadata, annotations }
    this.#put({ ...current, metadata, spec: { ...current.spec, unschedulable } })
  }

  #outage(isOver: boolean): void {
    const names = isOver ? [...this.#nodes.keys()] : [this.#any([...this.#nodes.keys()])]
    const status = isOver ? 'True' : 'False'
    for (const name of names) {
      // The API server keeps the version for a write without changes.
      if (this.#node(name).status?.conditions?.[0]?.status === status) continue
      this.#put({ ...this.#node(name), status: { conditions: [{ type: 'Ready', status }] } })
    }
  }

  /** Few configs, so that a pool often returns to the current config of its nodes. */
  #aim(kind: 'good' | 'bad'): void {
    const config = between(this.#options.random, 0, 2)
    this.#setPool({ configuration: { name: `${kind}-${config}` } })
  }

  #setPool(spec: Partial<MachineConfigPool['spec']>): void {
    const now = this.#pool()
    this.#putPool({ ...now, spec: { ...now.spec, ...spec } })
  }

  #facts(): NodeFacts[] {
    return Array.from(this.#nodes.keys(), (name) => factsOf(this.#node(name)))
  }

  #node(name: string): Node {
    return this.#nodes.get(name)!.at(-1)!
  }

  #pool(): MachineConfigPool {
    return this.#pools.at(-1)!
  }

  #put(object: Node): void {
    const metadata = { ...object.metadata, resourceVersion: this.#next() }
    this.#nodes.get(metadata.name)!.push({ ...object, metadata })
  }

  #putPool(object: MachineConfigPool): void {
    const metadata = { ...object.metadata, resourceVersion: this.#next() }
    this.#pools.push({ ...object, metadata })
  }

  #next(): string {
    return String(++this.#version)
  }

  #any<T>(list: readonly T[]): T {
    return list[between(this.#options.random, 0, list.length - 1)]!
  }
}
