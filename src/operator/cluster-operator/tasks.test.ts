import { expect, it } from 'vitest'
import { TaskReports } from './tasks.ts'

it('failures are told when they are new, change and end', () => {
  const reports = new TaskReports()
  const asked: string[] = []
  const input = reports.input('machine-config')
  const leave = input.subscribe((key, priority) => void asked.push(`${key} ${priority}`))
  expect(asked).toEqual(['machine-config 0'])

  reports.done('MachineConfigPools', 'worker')
  expect(asked).toHaveLength(1)
  expect(reports.failed('MachineConfigPools', 'worker', 'refused')).toBe(true)
  expect(reports.failed('MachineConfigPools', 'worker', 'refused')).toBe(false)
  expect(reports.failed('MachineConfigPools', 'worker', 'refused again')).toBe(true)
  expect(reports.failed('MachineConfigPools', 'infra', 'refused')).toBe(true)
  expect(asked).toHaveLength(4)
  expect(reports.list()).toEqual([
    { task: 'MachineConfigPools', message: 'refused' },
    { task: 'MachineConfigPools', message: 'refused again' },
  ])

  reports.done('MachineConfigPools', 'infra')
  reports.done('MachineConfigPools', 'worker')
  expect(reports.list()).toEqual([])
  expect(asked).toHaveLength(6)
  leave()
  reports.failed('MachineConfigPools', 'worker', 'refused')
  expect(asked).toHaveLength(6)
})

it('is known from the start', async () => {
  expect(await new TaskReports().input('machine-config').synced()).toBe(true)
})
