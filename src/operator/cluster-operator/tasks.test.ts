import { expect, it } from 'vitest'
import { TaskReports } from './tasks.ts'

it('failures notify when they are new, change and end', () => {
  const reports = new TaskReports()
  const enqueued: string[] = []
  const input = reports.input('machine-config')
  const leave = input.subscribe((key, priority) => void enqueued.push(`${key} ${priority}`))
  expect(enqueued).toEqual(['machine-config 0'])

  reports.done('MachineConfigPools', 'worker')
  expect(enqueued).toHaveLength(1)
  expect(reports.failed('MachineConfigPools', 'worker', 'refused')).toBe(true)
  expect(reports.failed('MachineConfigPools', 'worker', 'refused')).toBe(false)
  expect(reports.failed('MachineConfigPools', 'worker', 'refused again')).toBe(true)
  expect(reports.failed('MachineConfigPools', 'infra', 'refused')).toBe(true)
  expect(enqueued).toHaveLength(4)
  expect(reports.list()).toEqual([
    { task: 'MachineConfigPools', message: 'refused' },
    { task: 'MachineConfigPools', message: 'refused again' },
  ])

  reports.done('MachineConfigPools', 'infra')
  reports.done('MachineConfigPools', 'worker')
  expect(reports.list()).toEqual([])
  expect(enqueued).toHaveLength(6)
  leave()
  reports.failed('MachineConfigPools', 'worker', 'refused')
  expect(enqueued).toHaveLength(6)
})

it('the input enqueues its key at the start', async () => {
  expect(await new TaskReports().input('machine-config').synced()).toBe(true)
})
