import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { conditionOf } from '../../../../src/api/conditions.ts'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { machineConfigPools } from '../../../../src/api/kinds/resources.ts'
import { factsOf, isDone } from '../../../../src/fleet/rollout/node-facts.ts'
import { rolloutController } from '../../../../src/controllers/rollout/rollout.ts'
import type { Given } from '../../../support/running-controllers.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { poolCondition } from '../support/reported.ts'

const label = (pool: string): string => `example.com/${pool}`

/** Rollout controllers and simple daemons on a cluster. */
export class RolloutCluster {
  readonly client: KubeClient
  /** The maximum number of nodes in update at once, by pool. */
  readonly most = new Map<string, number>()
  readonly #running: RunningControllers

  constructor(client: KubeClient, controllers = 1) {
    this.client = client
    this.#running = new RunningControllers(client, (given) => {
      this.#daemons(given.follow(nodes))
      return Array.from({ length: controllers }, () => rollout(given))
    })
  }

  stop(): Promise<void> {
    return this.#running.stop()
  }

  flushEvents(): Promise<void> {
    return this.#running.events.flush()
  }

  async pool(name: string, spec: Partial<MachineConfigPool['spec']> = {}): Promise<void> {
    const nodeSelector = { matchLabels: { [label(name)]: '' } }
    const configuration = { name: 'good-0' }
    await this.client.create(machineConfigPools, {
      metadata: { name },
      spec: { nodeSelector, configuration, ...spec },
    })
  }

  /** A node that runs good-0. */
  async node(name: string, ...pools: readonly string[]): Promise<void> {
    await this.client.create(nodes, {
      metadata: {
        name,
        labels: Object.fromEntries(pools.map((pool) => [label(pool), ''])),
        annotations: {
          [nodeAnnotations.currentConfig]: 'good-0',
          [nodeAnnotations.desiredConfig]: 'good-0',
          [nodeAnnotations.state]: 'Done',
        },
      },
    })
  }

  async aim(pool: string, spec: Partial<MachineConfigPool['spec']>): Promise<void> {
    await this.client.patch(machineConfigPools, { name: pool }, mergePatch({ spec }))
  }

  readPool(name: string): Promise<MachineConfigPool> {
    return this.client.get(machineConfigPools, { name })
  }

  readNode(name: string): Promise<Node> {
    return this.client.get(nodes, { name })
  }

  condition(pool: string, type: string): Promise<Condition | undefined> {
    return poolCondition(this.client, pool, type)
  }

  /** Waits until the pool is updated to the config. */
  async updatedTo(pool: string, config: string): Promise<void> {
    await until(`${pool} is updated to ${config}`, async () => {
      const { status } = await this.readPool(pool)
      const updated = conditionOf(status?.conditions, 'Updated')
      return updated?.status === 'True' && status?.configuration?.name === config
    })
  }

  async updating(pool: string, reason: string): Promise<string> {
    await until(`${pool} has reason ${reason}`, async () => {
      return (await this.condition(pool, 'Updating'))?.reason === reason
    })
    return (await this.condition(pool, 'Updating'))?.message ?? ''
  }

  /** Daemons apply desiredConfig, one step per event; configs named bad fail. */
  #daemons(informer: Informer<Node>): void {
    informer.subscribe(({ type, object }) => {
      if (type === 'deleted') return
      this.#count(informer, object)
      const { current, desired, desiredImage = null, state } = factsOf(object)
      if (isDone(factsOf(object)) || desired === undefined) return
      if (desired.startsWith('bad')) {
        if (state === 'Degraded') return
        return this.#report(object, { state: 'Degraded', reason: `cannot apply ${desired}` })
      }
      const isStarted = state === 'Working' || (current === desired && state !== 'Done')
      return this.#report(
        object,
        isStarted
          ? { state: 'Done', reason: '', currentConfig: desired, currentImage: desiredImage }
          : { state: 'Working' },
      )
    })
  }

  #count(informer: Informer<Node>, { metadata }: Readonly<Node>): void {
    for (const key of Object.keys(metadata.labels ?? {})) {
      if (!key.startsWith('example.com/')) continue
      const members = informer.list().filter((each) => each.metadata.labels?.[key] === '')
      const busy = members.filter((each) => !isDone(factsOf(each))).length
      const pool = key.slice('example.com/'.length)
      this.most.set(pool, Math.max(this.most.get(pool) ?? 0, busy))
    }
  }

  async #report(
    { metadata }: Readonly<Node>,
    values: Partial<Record<keyof typeof nodeAnnotations, string | null>>,
  ): Promise<void> {
    const annotations = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        nodeAnnotations[key as keyof typeof nodeAnnotations],
        value,
      ]),
    )
    await this.client.patch(
      nodes,
      { name: metadata.name },
      mergePatch({ metadata: { annotations } }),
    )
  }
}

/** With separate informers, as in another process. */
function rollout(given: Given): Controller {
  const { follow } = given
  const caches = {
    pools: follow(machineConfigPools),
    nodes: follow(nodes),
    machineConfigNodes: follow(api.machineConfigNodes),
    machineConfigs: follow(api.machineConfigs),
    osConfigs: follow(api.machineOSConfigs),
    osBuilds: follow(api.machineOSBuilds),
  }
  return rolloutController(given, caches, { batchMs: 5 })
}
