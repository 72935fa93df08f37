import { kinds } from '../../../../src/api/kinds.ts'
import type { DrainPolicy, MachineConfigNode } from '../../../../src/api/resources.ts'
import {
  drainPolicies,
  machineConfigNodes,
  machineConfigPools,
} from '../../../../src/api/resources.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { mergePatch } from '@machinist/kube/patch'
import type { Transport } from '@machinist/kube/transport'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { freshNamespace } from '@machinist/testing/real-client'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { until } from '@machinist/testing/until'
import type { NodeSays, PodSays } from '../../../../src/controllers/drain/objects.fixture.ts'
import { nodeThat, podThat } from '../../../../src/controllers/drain/objects.fixture.ts'
import { kill, runDrain } from './run-drain.ts'

/** A cluster as the cases need it. */
export interface Cluster {
  readonly client: KubeClient
  readonly transport: Transport
  /** Whether somebody keeps the status of disruption budgets; otherwise the test does. */
  readonly countsBudgets: boolean
  stop(): Promise<void>
}

export function installOurKinds(client: KubeClient): Promise<void> {
  const wanted = new Set(['MachineConfigNode', 'MachineConfigPool', 'DrainPolicy'])
  return installDefinitions(
    client,
    kinds.filter(({ resource }) => wanted.has(resource.kind)),
  )
}

/** One namespace, some nodes, and a test that plays daemon, kubelet and scheduler. */
export class Stage {
  readonly clock = new VirtualClock(Date.now())
  readonly client: KubeClient
  readonly namespace: string
  readonly #countsBudgets: boolean
  readonly #running: RunningControllers[] = []
  /** Kubelets that never confirm the end of a pod. */
  readonly deadKubelets = new Set<string>()

  private constructor({ client, countsBudgets }: Cluster, namespace: string) {
    this.client = client
    this.namespace = namespace
    this.#countsBudgets = countsBudgets
  }

  static async on(cluster: Cluster): Promise<Stage> {
    return new Stage(cluster, await freshNamespace(cluster.client))
  }

  /** A name of this stage's own: nodes have no namespace. */
  named(name: string): string {
    return `${this.namespace}-${name}`
  }

  start(client = this.client): RunningControllers {
    const running = runDrain(client, this.clock)
    this.#running.push(running)
    return running
  }

  kill(running: RunningControllers): Promise<void> {
    return kill(running, this.clock)
  }

  async end(): Promise<void> {
    for (const running of this.#running) await this.kill(running)
    // The next stage has controllers of its own, and they would go on where these stopped.
    for await (const { metadata } of this.client.listAll(nodes)) {
      const isOurs = metadata.name.startsWith(`${this.namespace}-`)
      if (isOurs) await this.client.remove(nodes, { name: metadata.name })
    }
  }

  addNode(name: string, says: NodeSays & { pool?: string } = {}): Promise<Node> {
    const node = nodeThat(says, this.named(name))
    if (says.pool !== undefined) node.metadata.labels = { pool: says.pool }
    return this.client.create(nodes, node)
  }

  node(name: string): Promise<Node> {
    return this.client.get(nodes, { name: this.named(name) })
  }

  annotate(name: string, key: string, value: string): Promise<Node> {
    const annotations = { [`machineconfiguration.openshift.io/${key}`]: value }
    return this.client.patch(
      nodes,
      { name: this.named(name) },
      mergePatch({ metadata: { annotations } }),
    )
  }

  setUnschedulable(name: string, unschedulable: boolean): Promise<Node> {
    return this.client.patch(
      nodes,
      { name: this.named(name) },
      mergePatch({ spec: { unschedulable } }),
    )
  }

  async lastApplied(name: string): Promise<string | undefined> {
    const { metadata } = await this.node(name)
    return metadata.annotations?.['machineconfiguration.openshift.io/lastAppliedDrain']
  }

  async addPod(node: string, name: string, says: PodSays = {}): Promise<Pod> {
    const pod = podThat(name, { ...says, namespace: this.namespace })
    pod.spec!.nodeName = this.named(node)
    const { status, ...fresh } = pod
    await this.client.create(pods, fresh)
    const running = { ...status, conditions: [{ type: 'Ready', status: 'True' as const }] }
    const key = { namespace: this.namespace, name }
    return this.client.patch(pods, key, mergePatch({ status: running }), { subresource: 'status' })
  }

  /** Names of the pods on a node. */
  async podsOn(node: string): Promise<string[]> {
    const fields = `spec.nodeName=${this.named(node)}`
    const { items } = await this.client.list(pods, { namespace: this.namespace, fields })
    return items.map(({ metadata }) => metadata.name)
  }

  /** A budget over `app`, as soon as its status says that it allows this many disruptions. */
  async budget(app: string, minAvailable: number, allowed: number): Promise<void> {
    const key = { namespace: this.namespace, name: app }
    const spec = { minAvailable, selector: { matchLabels: { app } } }
    const made: PodDisruptionBudget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: key,
      spec,
    }
    await this.client
      .create(podDisruptionBudgets, made)
      .catch(() => this.client.patch(podDisruptionBudgets, key, mergePatch({ spec })))
    await until('the budget is counted', async () => {
      const found = await this.client.get(podDisruptionBudgets, key)
      const { observedGeneration, disruptionsAllowed } = found.status ?? {}
      const isCounted = observedGeneration === found.metadata.generation
      if (isCounted && disruptionsAllowed === allowed) return true
      if (!this.#countsBudgets) {
        const status = {
          observedGeneration: found.metadata.generation,
          disruptionsAllowed: allowed,
          currentHealthy: minAvailable + allowed,
          desiredHealthy: minAvailable,
          expectedPods: minAvailable + allowed,
        }
        await this.client.patch(podDisruptionBudgets, key, mergePatch({ status }), {
          subresource: 'status',
        })
      }
      return false
    })
  }

  /** Whoever is over `app` may leave from now on. */
  async release(app: string): Promise<void> {
    const key = { namespace: this.namespace, name: app }
    const patch = mergePatch({ spec: { minAvailable: 0 } })
    const { metadata } = await this.client.patch(podDisruptionBudgets, key, patch)
    if (this.#countsBudgets) return
    const status = { observedGeneration: metadata.generation, disruptionsAllowed: 1 }
    const call = { subresource: 'status' } as const
    await this.client.patch(podDisruptionBudgets, key, mergePatch({ status }), call)
  }

  policy(name: string, spec: DrainPolicy['spec']): Promise<DrainPolicy> {
    return this.client.create(drainPolicies, { metadata: { name }, spec })
  }

  async addPool(name: string): Promise<void> {
    await this.client.create(machineConfigPools, { metadata: { name }, spec: {} })
  }

  /** As the rollout controller does. */
  async giveTurn(pool: string, node: string): Promise<void> {
    const turns = { [this.named(node)]: { config: 'x', from: '1', at: 0 } }
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    const patch = mergePatch({ metadata: { annotations } })
    await this.client.patch(machineConfigPools, { name: pool }, patch)
  }

  /** What the MachineConfigNode of a node says, as `Type=Status`. */
  async conditions(node: string): Promise<string[]> {
    const found = await this.progress(node)
    return (found?.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`)
  }

  async drained(node: string): Promise<string> {
    const found = await this.progress(node)
    const said = found?.status?.conditions?.find(({ type }) => type === 'Drained')
    return said?.message ?? ''
  }

  progress(node: string): Promise<MachineConfigNode | undefined> {
    return ifThere(this.client.get(machineConfigNodes, { name: this.named(node) }))
  }

  /** Reasons of the events about a node. */
  async eventsOf(node: string): Promise<string[]> {
    const { items } = await this.client.list(coreEvents)
    const about = items.filter(({ involvedObject }) => involvedObject.name === this.named(node))
    return about.map(({ reason }) => reason ?? '')
  }

  /** Time passes, kubelets confirm, until the condition holds. */
  until(what: string, condition: () => Promise<boolean>, stepMs = 500): Promise<void> {
    return until(what, async () => {
      await this.clock.advance(stepMs)
      await this.#kubelets()
      return condition()
    })
  }

  untilApplied(node: string, value: string): Promise<void> {
    return this.until(`${value} is acknowledged on ${node}`, async () => {
      return (await this.lastApplied(node)) === value
    })
  }

  /** Pods that have been told to end are gone as soon as their kubelet says so. */
  async #kubelets(): Promise<void> {
    const { items } = await this.client.list(pods, { namespace: this.namespace })
    for (const { metadata, spec } of items) {
      const isDead = this.deadKubelets.has(spec?.nodeName ?? '')
      if (metadata.deletionTimestamp === undefined || isDead) continue
      const key = { namespace: this.namespace, name: metadata.name }
      await ifThere(this.client.remove(pods, key, { graceSeconds: 0 }))
    }
  }
}
