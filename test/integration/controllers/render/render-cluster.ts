import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { target } from '../support/machine-configs.ts'
import { poolCondition } from '../support/reported.ts'
import { runRender } from './run-render.ts'

const used = [machineConfigPools, machineConfigs, controllerConfigs, kubeletConfigs, nodes]

/** A cluster with a render controller, and what the cases read from it. */
export class RenderCluster {
  readonly client: KubeClient
  #running: RunningControllers | undefined

  constructor(client: KubeClient) {
    this.client = client
  }

  run(settings: Parameters<typeof runRender>[1] = {}): void {
    this.#running = runRender(this.client, settings)
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
  }

  async clear(): Promise<void> {
    await this.stop()
    await removeAll(this.client, used)
  }

  async flushEvents(): Promise<void> {
    await this.#running?.events.flush()
  }

  renderDegraded(pool: string): Promise<Condition | undefined> {
    return poolCondition(this.client, pool, 'RenderDegraded')
  }

  /** Waits for a rendered config, if given for another one than this. */
  isRendered(pool: string, than?: string): Promise<void> {
    return until(`${pool} is rendered`, async () => {
      const condition = await this.renderDegraded(pool)
      const configured = await target(this.client, pool)
      return condition?.status === 'False' && configured !== undefined && configured !== than
    })
  }

  isBlocked(pool: string, reason: string): Promise<void> {
    return until(`${pool} has reason ${reason}`, async () => {
      return (await this.renderDegraded(pool))?.reason === reason
    })
  }

  async renderedOf(pool: string): Promise<MachineConfig> {
    return this.client.get(machineConfigs, { name: (await target(this.client, pool))! })
  }

  patch(name: string, body: object): Promise<MachineConfig> {
    return this.client.patch(machineConfigs, { name }, mergePatch(body))
  }
}
