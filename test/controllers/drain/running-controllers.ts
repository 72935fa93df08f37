import { drainPolicies, machineConfigNodes } from '../../../src/api/resources.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import type { VirtualClock } from '../../../src/base/virtual-clock.ts'
import { drainController } from '../../../src/controllers/drain/drain.ts'
import { drainMetrics } from '../../../src/controllers/drain/drain-metrics.ts'
import { uncordonController } from '../../../src/controllers/drain/uncordon.ts'
import type { DrainWorld } from '../../../src/controllers/drain/world.ts'
import { budgetIndexes, nodeIndexes } from '../../../src/controllers/drain/world.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Recorder } from '../../../src/kube/events/recorder.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import type { Indexes } from '../../../src/kube/informer/store.ts'
import { daemonSets } from '../../../src/kube/kinds/apps.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { podDisruptionBudgets } from '../../../src/kube/kinds/policy.ts'

/** One process' worth of drain and uncordon controllers, on a clock that the test moves. */
export class RunningControllers {
  readonly metrics = new Metrics()
  readonly #stop = new AbortController()
  readonly #ended: Promise<unknown>

  constructor(client: KubeClient, clock: VirtualClock) {
    const tools = { clock, random: seededRandom(1), log: silentLogger, metrics: this.metrics }
    const following: Promise<void>[] = []
    const informer = <T extends KubeObject>(
      resource: Resource<T>,
      indexes: Indexes<T> = {},
    ): Informer<T> => {
      const source = client.listWatch(resource)
      const made = new Informer({ ...tools, resource: resource.plural, source, indexes })
      following.push(made.start(this.#stop.signal))
      return made
    }
    const world: DrainWorld = {
      client,
      clock,
      events: new Recorder({ ...tools, api: client, component: 'drain', instance: 'test' }),
      metrics: drainMetrics(this.metrics),
      nodes: informer(nodes, nodeIndexes),
      budgets: informer(podDisruptionBudgets, budgetIndexes),
      daemonSets: informer<KubeObject>(daemonSets),
      machineConfigNodes: informer(machineConfigNodes),
      drainPolicies: informer(drainPolicies),
      poolOf: (node) => node.metadata.labels?.['pool'],
    }
    const run = [drainController(world), uncordonController(world)].map((controller) =>
      new ControllerRunner(controller, { ...tools, stopGraceMs: 0 }).run(this.#stop.signal),
    )
    this.#ended = Promise.all([...run, ...following])
  }

  /** What a process that is killed leaves behind: nothing but what the server has. */
  async kill(clock: VirtualClock): Promise<void> {
    this.#stop.abort()
    const state = { over: false }
    const ended = this.#ended.then(() => (state.over = true))
    while (!state.over) await clock.advance(10)
    await ended
  }
}
