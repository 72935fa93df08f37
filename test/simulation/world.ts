import { conditionOf } from '../../src/api/conditions.ts'
import { machineConfigPools, machineConfigs, controllerConfigs } from '../../src/api/resources.ts'
import type { ControllerConfig } from '../../src/api/resources.ts'
import { between } from '@machinist/core/random'
import type { Transport } from '@machinist/kube/transport'
import { Accidents } from './accidents.ts'
import { BudgetCheck, unseenMs } from './checks/budget.ts'
import { unsettled } from './checks/end-state.ts'
import { TruthCheck } from './checks/truth.ts'
import { Cluster } from './cluster.ts'
import { controllerProcess, maker } from './control-plane.ts'
import type { LedProcess } from './led-process.ts'
import { Restores } from './restores.ts'
import { SimulatedNode } from './simulated-node.ts'
import { label, Users } from './users.ts'
import { spareNode, Workload } from './workload.ts'
import { nodes } from '@machinist/kube/kinds/core'
import { timeText } from './api/memory-api.ts'

export interface WorldOptions {
  /** Decides everything. Every twentieth world is a big one, the others are small, so that there can be many. */
  readonly seed: number
  /** How many of the last steps are told when something is wrong. */
  readonly keep?: number
  /** Something between the controllers and the API, to see whether the checks notice. */
  readonly tamper?: (transport: Transport) => Transport
}

export interface Result {
  readonly seed: number
  readonly violations: readonly string[]
  readonly digest: string
  /** Virtual time until everything was at rest. */
  readonly minutes: number
  /** Nodes that were taken out of service, and the most of one pool at once. */
  readonly turns: number
  readonly most: number
  readonly log: readonly string[]
}

const minute = 60_000
/** More than the slowest way to peace takes. */
const longestPeaceMs = 4 * 60 * minute

/** Runs one world to its end. */
export async function simulate(options: WorldOptions): Promise<Result> {
  // Nobody reads the stacks of failures that are part of the game, and they cost a lot.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const world = new World(options)
    await world.begin()
    await world.chaos()
    await world.restored()
    await world.held()
    await world.peace()
    world.end()
    return world.result()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

class World {
  readonly #cluster: Cluster
  readonly #nodes = new Map<string, SimulatedNode>()
  readonly #controllers: LedProcess[]
  readonly #workload: Workload
  readonly #users: Users
  readonly #accidents: Accidents
  readonly #restores: Restores
  readonly #budget: BudgetCheck
  readonly #truth: TruthCheck
  readonly #apps = new Map<string, number>()
  readonly #isBig: boolean

  constructor({ seed, keep, tamper }: WorldOptions) {
    const cluster = new Cluster(seed, keep)
    this.#isBig = seed % 20 === 0
    this.#cluster = cluster
    this.#budget = new BudgetCheck(cluster)
    this.#truth = new TruthCheck(cluster, this.#nodes, this.#budget)
    this.#workload = new Workload(cluster, this.#nodes)
    this.#users = new Users(cluster, this.#workload, this.#apps)
    const controllers = cluster.random.next() < 0.4 ? [1, 2] : [1]
    this.#controllers = controllers.map((number) =>
      controllerProcess(`controllers-${number}`, cluster, tamper),
    )
    this.#accidents = new Accidents({
      cluster,
      nodes: this.#nodes,
      controllers: this.#controllers,
    })
    this.#restores = new Restores({
      cluster,
      nodes: this.#nodes,
      controllers: this.#controllers,
      parts: [this.#users, this.#budget],
      ahead: 0.6,
    })
  }

  /** A cluster at rest. */
  async begin(): Promise<void> {
    const { random } = this.#cluster
    const hasMasters = this.#isBig && random.next() < 0.4
    const hasInfra = random.next() < (this.#isBig ? 0.5 : 0.2)
    this.#controllerConfig()
    this.#pool('worker', ['worker'])
    if (hasMasters) this.#pool('master', ['master'])
    if (hasInfra) this.#pool('infra', ['worker', 'infra'])
    for (const controller of this.#controllers) controller.start()
    const isRendered = (): boolean =>
      this.#cluster.list(machineConfigPools).every(({ spec }) => spec.configuration?.name)
    await this.#until(10 * minute, isRendered)
    if (!isRendered()) return this.#cluster.violated('every pool is rendered', 'one is not')
    const workers = this.#isBig ? between(random, 3, 8) : random.next() < 0.8 ? 2 : 3
    for (let i = 1; i <= workers; i++) await this.#join(`worker-${i}`, 'worker', ['worker'])
    if (hasInfra) await this.#join('infra-1', 'infra', ['worker', 'infra'])
    const masters = hasMasters ? 3 : 0
    for (let i = 1; i <= masters; i++) await this.#join(`master-${i}`, 'master', ['master'])
    this.#spareNode()
    this.#workload.daemonSet('logger')
    for (let i = 1; i <= between(random, 1, 2); i++) {
      const replicas = between(random, 1, 3)
      this.#workload.app(`app-${i}`, replicas, replicas - 1)
      this.#apps.set(`app-${i}`, replicas)
    }
    this.#workload.start()
    await this.#cluster.clock.advance(30_000)
  }

  /** People and accidents, all at once. */
  async chaos(): Promise<void> {
    const { random } = this.#cluster
    const deeds = this.#isBig ? between(random, 5, 16) : between(random, 1, 4)
    this.#users.changeConfig()
    await this.#disturb(deeds)
  }

  /** In every seventh world the API is restored to an older state. */
  async restored(): Promise<void> {
    const { seed, clock } = this.#cluster
    if (this.#isBroken || seed % 7 !== 2) return
    const { random } = this.#restores
    this.#restores.backup()
    this.#users.changeConfig()
    await this.#disturb(between(random, 0, 3))
    await clock.advance(this.#restores.whileMs())
    if (this.#isBroken) return
    this.#restores.restore()
    await this.#disturb(between(random, 0, 2))
  }

  async #disturb(deeds: number): Promise<void> {
    const { random, clock, trace } = this.#cluster
    for (let i = 0; i < deeds && !this.#isBroken; i++) {
      await clock.advance(between(random, 1, 120) * 1000)
      const [name, deed] = this.#deed()
      trace.note('FATE', name)
      deed()
    }
  }

  /** In some worlds: accidents are over, but one thing is in the way, and the pool has to say which. */
  async held(): Promise<void> {
    if (this.#isBroken || this.#cluster.random.next() > 0.15) return
    this.#accidents.heal()
    this.#users.makePeace()
    // Else the end of an update that is under way might take it back: a drained node is uncordoned whoever cordoned it.
    await this.#until(longestPeaceMs, () => this.#isSettled)
    const { pool, names } = this.#users.hold()
    this.#cluster.trace.note('FATE', `hold ${pool}: ${String(names)}`)
    // Everybody has seen it by then, so that nobody can be excused for what follows.
    await this.#cluster.clock.advance(unseenMs + minute)
    if (this.#isBroken) return
    this.#users.disturb(pool)
    const said = (): string => {
      const { status } = this.#cluster.get(machineConfigPools, { name: pool })!
      return conditionOf(status?.conditions, 'Updating')?.message ?? ''
    }
    await this.#cluster.clock.advance(minute)
    await this.#until(90 * minute, () => names.test(said()))
    if (this.#isBroken || names.test(said())) return
    this.#cluster.violated('a pool that cannot go on says why', `${pool} says "${said()}"`)
  }

  /** Everything is mended; now everything has to come to rest. */
  async peace(): Promise<void> {
    const { clock, trace, violations } = this.#cluster
    trace.note('FATE', 'peace')
    this.#accidents.heal()
    this.#users.makePeace()
    await this.#until(longestPeaceMs, () => this.#isSettled)
    if (violations.length > 0) return
    const problems = this.#unsettled()
    if (problems.length > 0) {
      return this.#cluster.violated('every pool converges', problems.join('; '))
    }
    if (this.#cluster.random.next() < 0.7) return
    // A daemon may just be starting and reports that; one that was cut off notices its dead watch after 2.5 minutes.
    await clock.advance(4 * minute)
    await this.#atRest(() => clock.advance(5 * minute))
  }

  end(): void {
    for (const node of this.#nodes.values()) node.end()
    for (const controller of this.#controllers) controller.off()
  }

  result(): Result {
    const { seed, violations, trace, clock } = this.#cluster
    return {
      seed,
      violations,
      digest: trace.digest,
      minutes: Math.round(clock.elapsed() / minute),
      turns: this.#budget.turns,
      most: this.#budget.most,
      log: violations.length > 0 ? trace.last() : [],
    }
  }

  /** Also, nobody is about to start who may have something to say. */
  get #isSettled(): boolean {
    const isRunning = [...this.#nodes.values()].every(({ daemon }) => daemon)
    return isRunning && this.#unsettled().length === 0
  }

  #unsettled(): string[] {
    const wanted = (pool: string): ReturnType<Users['wanted']> => this.#users.wanted(pool)
    return unsettled({ cluster: this.#cluster, nodes: this.#nodes, wanted })
  }

  get #isBroken(): boolean {
    return this.#cluster.violations.length > 0
  }

  #deed(): readonly [string, () => void] {
    const users = this.#users
    const accidents = this.#accidents
    const deeds: Readonly<Record<string, () => void>> = {
      changeConfig: () => users.changeConfig(),
      changeConfigAgain: () => users.changeConfig(),
      removeConfig: () => users.removeConfig(),
      breakConfig: () => users.breakConfig(),
      pause: () => users.pause(),
      changeBudget: () => users.changeBudget(),
      cordon: () => users.cordon(),
      relabel: () => users.relabel(),
      forbidEviction: () => users.forbidEviction(),
      storm: () => accidents.storm(),
      stormAgain: () => accidents.storm(),
      cutOffNode: () => accidents.cutOffNode(),
      cutOffController: () => accidents.cutOffController(),
      powerCut: () => accidents.powerCut(),
      killDaemon: () => accidents.killDaemon(),
      killDaemonAgain: () => accidents.killDaemon(),
      restartDaemon: () => accidents.restartDaemon(),
      killController: () => accidents.killController(),
      killControllerAgain: () => accidents.killController(),
      restartController: () => accidents.restartController(),
      freeze: () => accidents.freeze(),
      skewClock: () => accidents.skewClock(),
      breakDisk: () => accidents.breakDisk(),
      forgetHistory: () => accidents.forgetHistory(),
    }
    const all = Object.entries(deeds)
    return all[between(this.#cluster.random, 0, all.length - 1)]!
  }

  /** Nothing is written any more but what has to be from time to time. */
  async #atRest(pass: () => Promise<void>): Promise<void> {
    const written: string[] = []
    const stop = this.#cluster.api.follow(({ actor, resource, object }) => {
      if (resource === 'coordination.k8s.io/leases' || resource === '/events') return
      written.push(`${actor} ${resource} ${object.metadata.name}`)
    })
    await pass()
    stop()
    if (written.length > 0) {
      this.#cluster.violated('at rest nothing is written', written.slice(0, 5).join('; '))
    }
  }

  async #until(ms: number, isSo: () => boolean): Promise<void> {
    const { clock } = this.#cluster
    const end = clock.elapsed() + ms
    while (!this.#isBroken && !isSo() && clock.elapsed() < end) await clock.advance(30_000)
  }

  async #join(name: string, pool: string, roles: readonly string[]): Promise<void> {
    const { spec } = this.#cluster.get(machineConfigPools, { name: pool })!
    const config = this.#cluster.get(machineConfigs, { name: spec.configuration!.name! })!
    const node = new SimulatedNode(name, this.#cluster, this.#truth)
    this.#nodes.set(name, node)
    await node.join(config, Object.fromEntries(roles.map((role) => [label(role), ''])))
  }

  /** In no pool: wherever a drain takes place, pods can go somewhere. */
  #spareNode(): void {
    const conditions = [{ type: 'Ready', status: 'True' as const }]
    this.#cluster.create('user', nodes, { metadata: { name: spareNode }, status: { conditions } })
  }

  #pool(name: string, roles: readonly string[]): void {
    const { random } = this.#cluster
    const maxUnavailable = [undefined, 1, 2, '50%', '34%'][between(random, 0, 4)]
    this.#cluster.create('user', machineConfigPools, {
      metadata: { name },
      spec: {
        machineConfigSelector: {
          matchExpressions: [
            { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: [...roles] },
          ],
        },
        nodeSelector: { matchLabels: { [label(name)]: '' } },
        ...(maxUnavailable !== undefined && { maxUnavailable }),
      },
    })
    this.#users.found(name)
  }

  #controllerConfig(): void {
    const name = 'machine-config-controller'
    const annotations = {
      'machineconfiguration.openshift.io/generated-by-version': maker.version,
    }
    const config = { metadata: { name, annotations }, spec: {} } as unknown as ControllerConfig
    this.#cluster.create('user', controllerConfigs, config)
    const at = timeText(this.#cluster.clock.now())
    const conditions = ['Running', 'Completed', 'Failing'].map((word) => ({
      type: `TemplateController${word}`,
      status: word === 'Completed' ? 'True' : 'False',
      lastTransitionTime: at,
    }))
    const status = { observedGeneration: 1, conditions }
    this.#cluster.patch('user', controllerConfigs, { name }, { status }, 'status')
  }
}
