import { nodeAnnotations, ownPoolAnnotations } from '../../../../src/api/annotations.ts'
import type { MachineConfigPool } from '../../../../src/api/resources.ts'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { RolloutPlan } from '../../../../src/controllers/rollout/decide.ts'
import { decide } from '../../../../src/controllers/rollout/decide.ts'
import type { NodeFacts } from '../../../../src/fleet/rollout/node-facts.ts'
import { factsOf, isDisrupted, isDone } from '../../../../src/fleet/rollout/node-facts.ts'
import type { NodeWrite } from '../../../../src/controllers/rollout/node-writes.ts'
import { statusOf } from '../../../../src/controllers/rollout/status.ts'
import { formatRecord } from '../../../../src/fleet/rollout/turns.ts'
import type { Node } from '@machinist/kube/kinds/core'
import { at, node, pool } from '../../../../src/fleet/rollout/scene.fixture.ts'

export interface ModelOptions {
  readonly random: Random
  readonly nodes: number
  readonly budget: number
  /** Nodes go away and come back for reasons of their own. */
  readonly outages: boolean
}

/**
 * A pool, its nodes and their daemons. Every version of every object is kept, so that a controller can be shown any old
 * picture; it may die between any two writes, and its last writes may reach the server long after another took over.
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

  /** Anything that may happen. */
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

  /** A controller looks, decides and writes; on the newest picture, or on any old one. */
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
      image: { is: 'not layered' },
      drains: new Map(),
      certificates: [],
      now: this.#now,
    })
    this.#act(plan, seen, isFresh)
    return plan
  }

  /** Peace: everybody is back, the configuration is good, nobody dies, and the picture is new. */
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

  /** Told something that they do not run. */
  get underWay(): number {
    return this.#facts().filter((each) => !isDone(each)).length
  }

  #act(plan: RolloutPlan, seen: MachineConfigPool, isFresh: boolean): void {
    const { random } = this.#options
    const dies = (): boolean => !isFresh && random.next() < 0.15
    if (plan.record) {
      if (dies() || seen !== this.#pool()) return
      const annotations = { [ownPoolAnnotations.rollout]: formatRecord(plan.record) }
      this.#putPool({ ...seen, metadata: { ...seen.metadata, annotations } })
    }
    for (const write of plan.writes) {
      if (dies()) return void this.#stalled.push(write)
      this.#patch(write)
    }
    const now = this.#pool()
    if (plan.record || seen === now) this.#putPool({ ...now, status: statusOf(plan) })
  }

  /** Refused when the node is not at the version that the writer saw. */
  #patch({ node: name, version, annotations = {}, taints }: NodeWrite): void {
    const current = this.#node(name)
    if (current.metadata.resourceVersion !== version) return
    const said = Object.entries({ ...current.metadata.annotations, ...annotations })
    this.#put({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: Object.fromEntries(
          said.filter((entry): entry is [string, string] => entry[1] !== null),
        ),
      },
      spec: { ...current.spec, ...(taints && { taints: [...taints] }) },
    })
  }

  /** Writes of controllers that were given up arrive after all. */
  #deliver(): void {
    for (const write of this.#stalled.splice(0)) this.#patch(write)
  }

  #work(): void {
    this.#workOn(this.#any([...this.#nodes.keys()]))
  }

  /** One step of one daemon: begin, then succeed or fail; once told something else, begin again. */
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
    said: Partial<Record<keyof typeof nodeAnnotations, string>>,
    unschedulable: boolean,
  ): void {
    const changes = Object.entries(said).map(([key, value]) => [
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
      // The API server gives no new version for a write that changes nothing.
      if (this.#node(name).status?.conditions?.[0]?.status === status) continue
      this.#put({ ...this.#node(name), status: { conditions: [{ type: 'Ready', status }] } })
    }
  }

  /** Few configs, so that a pool often gets back the one that its nodes still run. */
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
