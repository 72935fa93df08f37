import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import type { CoreEvent } from '@machinist/kube/kinds/events'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { machineConfigBuild } from '../../../../src/api/maker.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { loadTemplates } from '../../../../src/process/templates.ts'
import { runControllers } from '../../../../src/controllers/run-controllers.ts'
import { runOperator } from '../../../../src/operator/run-operator.ts'
import { installCluster } from '../../operator/installed-cluster.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { emptySpec, machineConfig, theControllerConfig } from '../support/cluster-objects.ts'
import { target } from '../support/machine-configs.ts'
import { poolCondition } from '../support/reported.ts'
import { clusterSnapshot } from './cluster-snapshot.ts'
import { commit, makeMcoCluster, rendered } from './mco-cluster.ts'

const version = '1.2.3'
const domain = 'machineconfiguration.openshift.io'

/** 100 times faster, so that delayed writes of the operator happen during the test. */
const fastClock: Clock = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed() * 100,
  after: (ms, task) => systemClock.after(ms / 100, task),
}

/** Machinist on a cluster that MCO runs, on the embedded API server and on a real one. */
export function otherMakerCases(client: KubeClient): void {
  const stop = new AbortController()
  const operatorMetrics = new Metrics()
  let running: Promise<unknown> = Promise.resolve()

  beforeAll(async () => {
    await installDefinitions(client)
    await installCluster(client)
    await makeMcoCluster(client)
  })
  afterAll(async () => {
    stop.abort()
    await running
  })

  async function start(): Promise<void> {
    const templates = await loadTemplates()
    const tools = { client, clock: systemClock, random: seededRandom(5), log: silentLogger }
    const maker = { version, build: machineConfigBuild(version) }
    const quick = { renderWindowMs: 0, rolloutBatchMs: 5 }
    running = Promise.all([
      runControllers({ ...tools, metrics: new Metrics(), maker, templates, ...quick }, stop.signal),
      runOperator({ ...tools, clock: fastClock, metrics: operatorMetrics, version }, stop.signal),
    ])
  }

  const events = (): Promise<CoreEvent[]> => Array.fromAsync(client.listAll(coreEvents))

  const held = async (pool: string): Promise<string> => {
    const condition = await poolCondition(client, pool, 'machinist.dev/Held')
    return condition ? `${condition.status} ${condition.reason}: ${condition.message}` : ''
  }

  it('changes no object of MCO, and each pool reports the hold and the plan', async () => {
    const before = await clusterSnapshot(client)
    await start()
    await until('both pools know the plan', async () => {
      const messages = await Promise.all([held('master'), held('worker')])
      return messages.every((message) => message.includes('The plan would be'))
    })
    const message = await held('worker')
    expect(message).toMatch(/^True MadeByAnotherController: /)
    expect(message).toContain(
      `its nodes run MachineConfig ${rendered.worker}, rendered by MCO of release 4.16.11 (controller build ${commit})`,
    )
    // The plan removes files such as configure-ovs.sh.
    expect(message).toMatch(
      /files .*2 removed; .*units? .*3 removed; .*the node is drained and reboots/,
    )

    await until('pools and the ControllerConfig have their events', async () => {
      const reported = new Set(
        (await events()).map(({ involvedObject, reason }) => `${involvedObject.kind} ${reason}`),
      )
      return (
        reported.has('MachineConfigPool Held') &&
        reported.has('ControllerConfig TemplatesFailed') &&
        reported.has('ControllerConfig MadeByAnotherOperator')
      )
    })
    // A later change of the plan proves that all earlier writes are done.
    const spec = { ...emptySpec, kernelArguments: ['audit=0'] }
    await machineConfig(client, '50-worker-user', 'worker', spec)
    await until('the plan has it', async () => {
      return (await held('worker')).includes('kernel arguments change')
    })
    const { 'MachineConfig 50-worker-user': _, ...after } = await clusterSnapshot(client)
    expect(after).toEqual(before)
  })

  it('reports once, and in a metric, that the operator leaves the cluster to MCO', async () => {
    const emitted = (await events()).filter(({ reason }) => reason === 'MadeByAnotherOperator')
    expect(emitted.map(({ message, count }) => [message, count ?? 1])).toEqual([
      [
        'ControllerConfig machine-config-controller was written by MCO of release 4.16.11 (operator build v4.16.0-202409051837.p0): Machinist writes neither it, pools, user data, MachineConfiguration, ClusterOperator nor nodes. To leave the cluster to that operator, stop Machinist; see docs/install.md, "Clusters that MCO runs"',
        1,
      ],
    ])
    expect(operatorMetrics.text()).toContain('machinist_operator_held 1')
  })

  it('takes over a ControllerConfig of Machinist, and still holds pools whose nodes run a config of MCO', async () => {
    const spec = { config: { ignition: { version: '3.4.0' } } }
    const annotations = { [`${domain}/generated-by-controller-version`]: '0.1.0' }
    const name = 'rendered-worker-00000000000000000000000000000001'
    await client.create(machineConfigs, { metadata: { name, annotations }, spec })
    const before = await clusterSnapshot(client)
    // As an old version of Machinist wrote it, which overwrote MCO's ControllerConfig.
    const written = { metadata: { annotations: { [`${domain}/generated-by-version`]: '0.1.0' } } }
    await client.patch(controllerConfigs, theControllerConfig, mergePatch(written))
    const configuration = { name, source: [] }
    await client.patch(
      machineConfigPools,
      { name: 'worker' },
      mergePatch({ spec: { configuration } }),
    )
    await until('its rollout is held', async () => {
      return (await poolCondition(client, 'worker', 'Updating'))?.reason === 'Held'
    })
    await until('the operator writes it', async () => {
      const { metadata } = await client.get(controllerConfigs, theControllerConfig)
      return metadata.annotations?.[`${domain}/generated-by-version`] === version
    })
    expect(operatorMetrics.text()).toContain('machinist_operator_held 0')
    const updating = await poolCondition(client, 'worker', 'Updating')
    expect(updating?.message).toContain(`its nodes run MachineConfig ${rendered.worker}`)
    expect(await target(client, 'worker')).toBe(name)
    const after = await clusterSnapshot(client)
    for (const node of ['master-0', 'worker-0', 'worker-1']) {
      expect(after[`Node ${node}`]).toBe(before[`Node ${node}`])
    }
  })
}
