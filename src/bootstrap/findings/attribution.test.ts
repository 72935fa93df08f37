import { describe, expect, it } from 'vitest'
import { configMaps } from '@machinist/kube/kinds/core'
import { machineConfigs } from '../../api/kinds/resources.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { Attribution } from './attribution.ts'

const config = (name: string): Manifest => ({
  resource: machineConfigs,
  file: `${name}.yaml`,
  object: { metadata: { name } },
})
const facts: Manifest = {
  resource: configMaps,
  file: 'facts.yaml',
  object: { metadata: { namespace: 'a', name: 'b' } },
}
const files = new Attribution([config('99-a'), config('99-a-b'), config('99-a.b'), facts])

describe('a message', () => {
  it.each([
    ['MachineConfig 99-a: mode is wrong', '99-a.yaml'],
    ['MachineConfig 99-a-b: mode is wrong', '99-a-b.yaml'],
    ['MachineConfig 99-a.b: mode is wrong', '99-a.b.yaml'],
    ['see MachineConfig 99-a.', '99-a.yaml'],
    ['MachineConfig 99-ab', undefined],
    ['ConfigMap a/b, key network: MachineConfig 99-a', 'facts.yaml'],
    ['ConfigMap a/bc and then ConfigMap a/b', 'facts.yaml'],
    ['nothing of the input', undefined],
  ])('%j is about %s', (message, file) => {
    expect(files.problem(message).file).toBe(file)
  })

  it('about no object of the input belongs to the object that reports it', () => {
    expect(files.problem('it failed', 'MachineConfig 99-a')).toEqual({
      file: '99-a.yaml',
      message: 'it failed',
    })
    expect(files.problem('it failed', 'MachineConfig other')).toEqual({ message: 'it failed' })
  })
})
