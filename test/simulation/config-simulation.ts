import { between } from '@machinist/core/random'
import type { Transport } from '@machinist/kube/transport/transport'
import { nodes } from '@machinist/kube/kinds/core'
import { conditionOf } from '../../src/api/conditions.ts'
import {
  machineConfigPools,
  machineConfigs,
  controllerConfigs,
} from '../../src/api/kinds/resources.ts'
import type { ControllerConfig } from '../../src/api/kinds/resources.ts'
import { Faults } from './faults.ts'
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
import { timeText } from './api/memory-api.ts'

export interface SimulationOptions {
  /** Determines the whole simulation. Every twentieth seed is a large cluster. */
  readonly seed: number
  /** Number of log lines to keep. */
  readonly keep?: number
  /** Changes the traffic between the controllers and the API, to test the checks. */
  readonly tamper?: (transport: Transport) => Transport
}

export interface SimulationResult {
  readonly seed: number
  readonly violations: readonly string[]
  readonly digest: string
  /** Virtual time until the cluster was settled. */
  readonly minutes: number
  /** Nodes taken out of service, and the maximum of one pool at once. */
  readonly turns: number
  readonly most: number
  readonly log: readonly string[]
}

const minute = 60_000
/** Longer than the slowest recovery takes. */
const recoveryTimeoutMs = 4 * 60 * minute

/** Runs one simulation. */
export async function simulateConfig(options: SimulationOptions): Promise<SimulationResult> {
  // Stack traces of simulated failures are expensive and unused.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const simulation = new ConfigSimulation(options)
    await simulation.begin()
    await simulation.disturb()
    await simulation.restoreBackup()
    await simulation.block()
    await simulation.recover()
    simulation.end()
    return simulation.result()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

class ConfigSimulation {
  readonly #cluster: Cluster
  readonly #nodes = new Map<string, SimulatedNode>()
  readonly #controllers: LedProcess[]
  readonly #workload: Workload
  readonly #users: Users
  readonly #faults: Faults
  readonly #restores: Restores
  readonly #budget: BudgetCheck
  readonly #truth: TruthCheck
  readonly #apps = new Map<string, number>()
  readonly #isBig: boolean

  constructor({ seed, keep, tamper }: SimulationOptions) {
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
    this.#faults = new Faults({
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

  /** Starts a settled cluster. */
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

  /** Users and faults disturb the cluster. */
  async disturb(): Promise<void> {
    const { random } = this.#cluster
    const count = this.#isBig ? between(random, 5, 16) : between(random, 1, 4)
    this.#users.changeConfig()
    await this.#runEvents(count)
  }

  /** In every seventh simulation: restores a backup of the API. */
  async restoreBackup(): Promise<void> {
    const { seed, clock } = this.#cluster
    if (this.#isViolated || seed % 7 !== 2) return
    const { random } = this.#restores
    this.#restores.backup()
    this.#users.changeConfig()
    await this.#runEvents(between(random, 0, 3))
    await clock.advance(this.#restores.whileMs())
    if (this.#isViolated) return
    this.#restores.restore()
    await this.#runEvents(between(random, 0, 2))
  }

  async #runEvents(count: number): Promise<void> {
    const { random, clock, trace } = this.#cluster
    for (let i = 0; i < count && !this.#isViolated; i++) {
      await clock.advance(between(random, 1, 120) * 1000)
      const [name, run] = this.#randomEvent()
      trace.note('FAULT', name)
      run()
    }
  }

  /** In some simulations: without faults, one blocker remains, and the pool must name it. */
  async block(): Promise<void> {
    if (this.#isViolated || this.#cluster.random.next() > 0.15) return
    this.#faults.heal()
    this.#users.revertAll()
    // Otherwise the end of a running update may revert it: a drained node is uncordoned even if a user cordoned it.
    await this.#until(recoveryTimeoutMs, () => this.#isSettled)
    const { pool, names } = this.#users.hold()
    this.#cluster.trace.note('FAULT', `hold ${pool}: ${String(names)}`)
    // Wait until all controllers have observed it.
    await this.#cluster.clock.advance(unseenMs + minute)
    if (this.#isViolated) return
    this.#users.disturb(pool)
    const message = (): string => {
      const { status } = this.#cluster.get(machineConfigPools, { name: pool })!
      return conditionOf(status?.conditions, 'Updating')?.message ?? ''
    }
    await this.#cluster.clock.advance(minute)
    await this.#until(90 * minute, () => names.test(message()))
    if (this.#isViolated || names.test(message())) return
    this.#cluster.violated('a blocked pool names the reason', `${pool} reports "${message()}"`)
  }

  /** Ends all faults; the cluster must settle. */
  async recover(): Promise<void> {
    const { clock, trace, violations } = this.#cluster
    trace.note('FAULT', 'no more faults')
    this.#faults.heal()
    this.#users.revertAll()
    await this.#until(recoveryTimeoutMs, () => this.#isSettled)
    if (violations.length > 0) return
    const problems = this.#unsettled()
    if (problems.length > 0) {
      return this.#cluster.violated('every pool converges', problems.join('; '))
    }
    if (this.#cluster.random.next() < 0.7) return
    // A starting daemon still reports, and a partitioned one detects its dead watch after 2.5 minutes.
    await clock.advance(4 * minute)
    await this.#checkIdle(() => clock.advance(5 * minute))
  }

  end(): void {
    for (const node of this.#nodes.values()) node.end()
    for (const controller of this.#controllers) controller.off()
  }

  result(): SimulationResult {
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

  /** Settled, and every daemon runs. */
  get #isSettled(): boolean {
    const isRunning = [...this.#nodes.values()].every(({ daemon }) => daemon)
    return isRunning && this.#unsettled().length === 0
  }

  #unsettled(): string[] {
    const desired = (pool: string): ReturnType<Users['desired']> => this.#users.desired(pool)
    return unsettled({ cluster: this.#cluster, nodes: this.#nodes, desired })
  }

  get #isViolated(): boolean {
    return this.#cluster.violations.length > 0
  }

  #randomEvent(): readonly [string, () => void] {
    const users = this.#users
    const faults = this.#faults
    const events: Readonly<Record<string, () => void>> = {
      changeConfig: () => users.changeConfig(),
      changeConfigAgain: () => users.changeConfig(),
      removeConfig: () => users.removeConfig(),
      breakConfig: () => users.breakConfig(),
      pause: () => users.pause(),
      changeBudget: () => users.changeBudget(),
      cordon: () => users.cordon(),
      relabel: () => users.relabel(),
      forbidEviction: () => users.forbidEviction(),
      storm: () => faults.storm(),
      stormAgain: () => faults.storm(),
      cutOffNode: () => faults.cutOffNode(),
      cutOffController: () => faults.cutOffController(),
      powerCut: () => faults.powerCut(),
      killDaemon: () => faults.killDaemon(),
      killDaemonAgain: () => faults.killDaemon(),
      restartDaemon: () => faults.restartDaemon(),
      killController: () => faults.killController(),
      killControllerAgain: () => faults.killController(),
      restartController: () => faults.restartController(),
      freeze: () => faults.freeze(),
      skewClock: () => faults.skewClock(),
      breakDisk: () => faults.breakDisk(),
      forgetHistory: () => faults.forgetHistory(),
    }
    const all = Object.entries(events)
    return all[between(this.#cluster.random, 0, all.length - 1)]!
  }

  /** Checks that nothing but leases is written. */
  async #checkIdle(pass: () => Promise<void>): Promise<void> {
    const written: string[] = []
    const stop = this.#cluster.api.follow(({ actor, resource, object }) => {
      if (resource === 'coordination.k8s.io/leases' || resource === '/events') return
      written.push(`${actor} ${resource} ${object.metadata.name}`)
    })
    await pass()
    stop()
    if (written.length > 0) {
      this.#cluster.violated('a settled cluster writes nothing', written.slice(0, 5).join('; '))
    }
  }

  async #until(ms: number, isSo: () => boolean): Promise<void> {
    const { clock } = this.#cluster
    const end = clock.elapsed() + ms
    while (!this.#isViolated && !isSo() && clock.elapsed() < end) await clock.advance(30_000)
  }

  async #join(name: string, pool: string, roles: readonly string[]): Promise<void> {
    const { spec } = this.#cluster.get(machineConfigPools, { name: pool })!
    const config = this.#cluster.get(machineConfigs, { name: spec.configuration!.name! })!
    const node = new SimulatedNode(name, this.#cluster, this.#truth)
    this.#nodes.set(name, node)
    await node.join(config, Object.fromEntries(roles.map((role) => [label(role), ''])))
  }

  /** A node in no pool, so that evicted pods can always be scheduled. */
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
    this.#users.createFirstConfig(name)
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
