import { sameJson } from '@machinist/core/encoding/json'
import type { Random } from '@machinist/core/random'
import { between, nameSuffix } from '@machinist/core/random'
import { daemonSets } from '@machinist/kube/kinds/apps'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { countOf } from './api/eviction.ts'
import type { Cluster } from './cluster.ts'
import type { SimulatedNode } from './simulated-node.ts'

const namespace = 'default'
const tickMs = 4000
/** A node without a daemon. */
export const spareNode = 'spare'

/** The workload: applications, their PodDisruptionBudgets, and a stand-in for scheduler, controllers and kubelets. */
export class Workload {
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #nodes: ReadonlyMap<string, SimulatedNode>
  readonly #apps = new Map<string, number>()
  #isDirty = true

  constructor(cluster: Cluster, nodes: ReadonlyMap<string, SimulatedNode>) {
    this.#cluster = cluster
    this.#random = cluster.newRandom()
    this.#nodes = nodes
    cluster.api.follow(({ resource, actor }) => {
      const counts = resource === '/pods' || resource === '/nodes' || resource.startsWith('policy/')
      if (counts && actor !== 'workload') this.#isDirty = true
    })
    cluster.api.followRestores(() => (this.#isDirty = true))
  }

  start(): void {
    this.#tick()
  }

  app(name: string, replicas: number, minAvailable?: number): void {
    this.#apps.set(name, replicas)
    if (minAvailable === undefined) return
    this.#cluster.create('user', podDisruptionBudgets, {
      metadata: { namespace, name },
      spec: { minAvailable, selector: { matchLabels: { app: name } } },
    })
  }

  /** Sets minAvailable of an app. */
  demand(name: string, minAvailable: number): void {
    this.#cluster.patch(
      'user',
      podDisruptionBudgets,
      { namespace, name },
      { spec: { minAvailable } },
    )
  }

  /** Creates a DaemonSet; drains ignore its pods. */
  daemonSet(name: string): void {
    const template = { spec: { containers: [] } }
    const spec = { selector: { matchLabels: { app: name } }, template }
    this.#cluster.create('user', daemonSets, { metadata: { namespace, name }, spec })
    for (const node of this.#nodes.keys()) this.#create(`${name}-${node}`, name, node, 'DaemonSet')
  }

  #tick(): void {
    this.#cluster.clock.after(tickMs, () => {
      if (this.#isDirty) this.#work()
      this.#tick()
    })
  }

  #work(): void {
    this.#isDirty = false
    const all = this.#cluster.list(pods)
    for (const pod of all) this.#kubelet(pod)
    for (const [app, replicas] of this.#apps) {
      const own = all.filter(
        ({ metadata }) => metadata.labels?.['app'] === app && !metadata.deletionTimestamp,
      )
      for (let i = own.length; i < replicas; i++) this.#place(app)
    }
    for (const budget of this.#cluster.list(podDisruptionBudgets)) {
      const status = countOf(this.#cluster.api, budget)
      if (sameJson(status, budget.status)) continue
      const { name } = budget.metadata
      this.#cluster.patch(
        'workload',
        podDisruptionBudgets,
        { namespace, name },
        { status },
        'status',
      )
    }
  }

  /** Starts new pods and ends deleted ones, if their machine is up. */
  #kubelet({ metadata, spec, status }: Pod): void {
    const { name, deletionTimestamp } = metadata
    const { nodeName = '' } = spec ?? {}
    if (nodeName !== spareNode && !this.#nodes.get(nodeName)?.isUp) {
      this.#isDirty = true
      return
    }
    if (deletionTimestamp !== undefined) {
      this.#cluster.remove('workload', pods, { namespace, name })
      this.#isDirty = true
    } else if (status?.phase !== 'Running') {
      const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
      this.#cluster.patch('workload', pods, { namespace, name }, { status: running }, 'status')
    }
  }

  #place(app: string): void {
    const free = this.#cluster.list(nodes).filter(takesPods)
    const node = free[between(this.#random, 0, free.length - 1)]
    this.#isDirty = true
    if (!node) return
    this.#create(`${app}-${nameSuffix(this.#random, 8)}`, app, node.metadata.name, 'ReplicaSet')
  }

  #create(name: string, app: string, nodeName: string, kind: string): void {
    const owner = { apiVersion: 'apps/v1', kind, name: app, uid: app, controller: true }
    this.#cluster.create('workload', pods, {
      metadata: { namespace, name, labels: { app }, ownerReferences: [owner] },
      spec: { nodeName, containers: [], terminationGracePeriodSeconds: 5 },
    })
  }
}

const takesPods = ({ spec, status }: Node): boolean =>
  !spec?.unschedulable && status?.conditions?.[0]?.status === 'True'

/** Whether a drain must evict the pod. */
export const isMovable = ({ metadata }: Pod): boolean =>
  metadata.ownerReferences?.[0]?.kind !== 'DaemonSet'
