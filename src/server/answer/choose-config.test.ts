import { expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { chooseConfig } from './choose-config.ts'

const pool = (spec: string, status?: MachineConfigPool['status']): MachineConfigPool => ({
  metadata: { name: 'worker', generation: 7 },
  spec: spec === '' ? {} : { configuration: { name: spec } },
  ...(status && { status }),
})
const ran = { configuration: { name: 'old' }, machineCount: 3 }

it.each([
  ['a node runs it', pool('new', { ...ran, updatedMachineCount: 1 }), 'new'],
  ['no node runs it', pool('new', { ...ran, updatedMachineCount: 0 }), 'old'],
  ['the pool never had a node', pool('new', { machineCount: 0 }), 'new'],
  ['the pool has no status', pool('new'), 'new'],
  ['all nodes are gone', pool('new', { ...ran, machineCount: 0 }), 'old'],
  [
    'the counts are about an earlier config',
    pool('new', { ...ran, updatedMachineCount: 3, observedGeneration: 6 }),
    'old',
  ],
  [
    'the counts are current',
    pool('new', { ...ran, updatedMachineCount: 3, observedGeneration: 7 }),
    'new',
  ],
])('a new machine gets the desired config or the last one: %s', (_, found, name) => {
  expect(chooseConfig(found)).toBe(name)
})

it.each([
  ['nothing is rendered', pool('')],
  ['no config ever ran on all nodes', pool('new', { machineCount: 3, updatedMachineCount: 0 })],
  ['the names are empty', pool('', { configuration: { name: '' }, machineCount: 0 })],
])('there is no config if %s', (_, found) => {
  expect(chooseConfig(found)).toBeUndefined()
})
