import { expect, it } from 'vitest'
import { ScriptedServer, context, staticCache } from '@machinist/testing/servers/scripted-server'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerConfig, MachineConfiguration } from '../../api/kinds/resources.ts'
import { TaskReports } from '../cluster-operator/tasks.ts'
import { machineConfigurationController } from './machine-configuration.ts'

const silent = { normal: (): void => undefined, warning: (): void => undefined }
const fresh: MachineConfiguration = { metadata: { name: 'cluster', generation: 1 }, spec: {} }

function controller(
  { client }: ScriptedServer,
  objects: readonly MachineConfiguration[],
  reports = new TaskReports(),
): Controller {
  const tools = { random: seededRandom(1), log: silentLogger, metrics: new Metrics() }
  const caches = {
    machineConfigurations: staticCache(...objects),
    controllerConfigs: staticCache<ControllerConfig>(),
  }
  const given = { ...tools, client, clock: new VirtualClock(), events: silent }
  return machineConfigurationController(given, caches, { reports })
}

it('a concurrent creation or deletion is not a failure', async () => {
  const there = new ScriptedServer([409, 'AlreadyExists'])
  expect(await controller(there, []).reconcile('cluster', context)).toEqual({ type: 'settled' })
  const gone = new ScriptedServer([404, 'NotFound'])
  expect(await controller(gone, [fresh]).reconcile('cluster', context)).toEqual({ type: 'settled' })
})

it('a rejected write is reported and retried', async () => {
  const reports = new TaskReports()
  const server = new ScriptedServer([403, 'Forbidden'], {})
  const machineConfiguration = controller(server, [], reports)
  expect(await machineConfiguration.reconcile('cluster', context)).toEqual({
    type: 'requeue',
    afterMs: 60_000,
  })
  expect(reports.list()).toEqual([
    {
      task: 'MachineConfiguration',
      message: 'the API server refused MachineConfiguration cluster (403 Forbidden)',
    },
  ])
  await machineConfiguration.reconcile('cluster', context)
  expect(reports.list()).toEqual([])
})

it('an object that is being deleted is not changed', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const going = { ...fresh, metadata: { ...fresh.metadata, deletionTimestamp } }
  const server = new ScriptedServer()
  expect(await controller(server, [going]).reconcile('cluster', context)).toEqual({
    type: 'settled',
  })
  expect(server.requests).toEqual([])
})

it('other errors are retried', async () => {
  const server = new ScriptedServer([500, 'InternalError'])
  await expect(controller(server, [fresh]).reconcile('cluster', context)).rejects.toThrow('quotes')
})
