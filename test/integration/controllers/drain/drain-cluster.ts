import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { mergePatch } from '@machinist/kube/patch'
import type { Transport } from '@machinist/kube/transport/transport'
import { freshNamespace } from '@machinist/testing/clusters/real-client'
import { until } from '@machinist/testing/until'
import { kinds } from '../../../../src/api/definitions/kinds.ts'
import type { DrainPolicy, MachineConfigNode } from '../../../../src/api/kinds/resources.ts'
import {
  drainPolicies,
  machineConfigNodes,
  machineConfigPools,
} from '../../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import type { NodeSketch, PodSketch } from '../../../../src/controllers/drain/objects.fixture.ts'
import { nodeWith, podWith } from '../../../../src/controllers/drain/objects.fixture.ts'
import { kill, runDrain } from './run-drain.ts'

/** The cluster of the cases. */
export interface TestCluster {
  readonly client: KubeClient
  readonly transport: Transport
  /** Whether a controller maintains the status of PodDisruptionBudgets; otherwise the test does. */
  readonly countsBudgets: boolean
  stop(): Promise<void>
}

export function installKinds(client: KubeClient): Promise<void> {
  const names = new Set(['MachineConfigNode', 'MachineConfigPool', 'DrainPolicy'])
  return installDefinitions(
    client,
    kinds.filter(({ resource }) => names.has(resource.kind)),
  )
}

/** One namespace and some nodes; the test acts as daemon, kubelet and scheduler. */
export class DrainCluster {
  readonly clock = new VirtualClock(Date.now())
  readonly client: KubeClient
  readonly namespace: string
  readonly #countsBudgets: boolean
  readonly #running: RunningControllers[] = []
  /** Nodes whose kubelets never confirm the end of a pod. */
  readonly deadKubelets = new Set<string>()

  private constructor({ client, countsBudgets }: TestCluster, namespace: string) {
    this.client = client
    this.namespace = namespace
    this.#countsBudgets = countsBudgets
  }

  static async on(cluster: TestCluster): Promise<DrainCluster> {
    return new DrainCluster(cluster, await freshNamespace(cluster.client))
  }

  /** A unique name, because nodes have no namespace. */
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
    // The controllers of the next case would continue with these nodes.
    for await (const { metadata } of this.client.listAll(nodes)) {
      const isOurs = metadata.name.startsWith(`${this.namespace}-`)
      if (isOurs) await this.client.remove(nodes, { name: metadata.name })
    }
  }

  addNode(name: string, sketch: NodeSketch & { pool?: string } = {}): Promise<Node> {
    const node = nodeWith(sketch, this.named(name))
    if (sketch.pool !== undefined) node.metadata.labels = { pool: sketch.pool }
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

  async addPod(node: string, name: string, sketch: PodSketch = {}): Promise<Pod> {
    const pod = podWith(name, { ...sketch, namespace: this.namespace })
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

  /** Creates a PodDisruptionBudget for `app` and waits until it allows this many disruptions. */
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

  /** Allows evictions of the pods of `app`. */
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

  /** As the rollout controller gives turns. */
  async giveTurn(pool: string, node: string): Promise<void> {
    const turns = { [this.named(node)]: { config: 'x', from: '1', at: 0 } }
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    const patch = mergePatch({ metadata: { annotations } })
    await this.client.patch(machineConfigPools, { name: pool }, patch)
  }

  /** The conditions of the MachineConfigNode as `Type=Status`. */
  async conditions(node: string): Promise<string[]> {
    const found = await this.progress(node)
    return (found?.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`)
  }

  async drained(node: string): Promise<string> {
    const found = await this.progress(node)
    const condition = found?.status?.conditions?.find(({ type }) => type === 'Drained')
    return condition?.message ?? ''
  }

  progress(node: string): Promise<MachineConfigNode | undefined> {
    return ignoreNotFound(this.client.get(machineConfigNodes, { name: this.named(node) }))
  }

  /** Reasons of the events about a node. */
  async eventsOf(node: string): Promise<string[]> {
    const { items } = await this.client.list(coreEvents)
    const about = items.filter(({ involvedObject }) => involvedObject.name === this.named(node))
    return about.map(({ reason }) => reason ?? '')
  }

  /** Advances the clock and confirms deleted pods until the condition is true. */
  until(what: string, condition: () => Promise<boolean>, stepMs = 500): Promise<void> {
    return until(what, async () => {
      await this.clock.advance(stepMs)
      await this.#confirmDeletions()
      return condition()
    })
  }

  untilApplied(node: string, value: string): Promise<void> {
    return this.until(`${value} is acknowledged on ${node}`, async () => {
      return (await this.lastApplied(node)) === value
    })
  }

  /** Confirms the end of terminating pods, as kubelets do. */
  async #confirmDeletions(): Promise<void> {
    const { items } = await this.client.list(pods, { namespace: this.namespace })
    for (const { metadata, spec } of items) {
      const isDead = this.deadKubelets.has(spec?.nodeName ?? '')
      if (metadata.deletionTimestamp === undefined || isDead) continue
      const key = { namespace: this.namespace, name: metadata.name }
      await ignoreNotFound(this.client.remove(pods, key, { graceSeconds: 0 }))
    }
  }
}
