import { expect, it } from 'vitest'
import { AnsweringServer, context, still } from '@machinist/testing/answering-server'
import type { MachineConfiguration } from '../../api/resources.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import { TaskReports } from '../cluster-operator/tasks.ts'
import { machineConfigurationController } from './machine-configuration.ts'

const silent = { normal: (): void => undefined, warning: (): void => undefined }
const fresh: MachineConfiguration = { metadata: { name: 'cluster', generation: 1 }, spec: {} }

function controller(
  { client }: AnsweringServer,
  objects: readonly MachineConfiguration[],
  reports = new TaskReports(),
): Controller {
  return machineConfigurationController({
    client,
    machineConfigurations: still(...objects),
    events: silent,
    reports,
    clock: new VirtualClock(),
  })
}

it('what somebody else made, or took away, is no failure', async () => {
  const there = new AnsweringServer([409, 'AlreadyExists'])
  expect(await controller(there, []).reconcile('cluster', context)).toEqual({ type: 'settled' })
  const gone = new AnsweringServer([404, 'NotFound'])
  expect(await controller(gone, [fresh]).reconcile('cluster', context)).toEqual({ type: 'settled' })
})

it('a refusal is told, and looked at again', async () => {
  const reports = new TaskReports()
  const server = new AnsweringServer([403, 'Forbidden'], {})
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

it('what is being deleted is left alone', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const going = { ...fresh, metadata: { ...fresh.metadata, deletionTimestamp } }
  const server = new AnsweringServer()
  expect(await controller(server, [going]).reconcile('cluster', context)).toEqual({
    type: 'settled',
  })
  expect(server.asked).toEqual([])
})

it('whatever else goes wrong is tried again', async () => {
  const server = new AnsweringServer([500, 'InternalError'])
  await expect(controller(server, [fresh]).reconcile('cluster', context)).rejects.toThrow('quotes')
})
