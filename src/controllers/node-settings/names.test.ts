import { describe, expect, it } from 'vitest'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import {
  annotatedSuffix,
  claimedSuffix,
  deprecatedName,
  isGeneratedName,
  machineConfigName,
  suffixText,
} from './names.ts'
import { poolSettings } from './pool-settings.ts'

const naming = { part: 'generated-kubelet', deprecatedPart: 'kubelet' }
const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const uid = '0a1b2c3d-1111-2222-3333-444455556666'

const object = (finalizers: string[], annotations: Record<string, string> = {}): KubeletConfig => ({
  metadata: { name: 'a', finalizers, annotations },
  spec: {},
})

describe('the names of MachineConfigs', () => {
  it('have no suffix for the first object of a pool', () => {
    expect(machineConfigName('worker', 0, naming)).toBe('99-worker-generated-kubelet')
    expect(machineConfigName('worker', 1, naming)).toBe('99-worker-generated-kubelet-1')
    expect(machineConfigName('worker', 9, naming)).toBe('99-worker-generated-kubelet-9')
    expect([0, 1, 9].map(suffixText)).toEqual(['', '1', '9'])
  })

  it('had the uid of the pool in old releases', () => {
    const pool = poolSettings({ metadata: { name: 'worker', uid }, spec: {} })
    expect(deprecatedName(pool, naming)).toBe(`99-worker-${uid}-kubelet`)
  })

  it.each([
    '99-worker-generated-kubelet',
    '99-worker-generated-kubelet-9',
    '99-pool-of-ours-generated-kubelet-3',
    `99-worker-${uid}-kubelet`,
  ])('%s is a generated name', (name) => {
    expect(isGeneratedName(name, naming)).toBe(true)
  })

  it.each([
    'custom-kubelet',
    '99-worker-kubelet',
    '99-worker-generated-kubelet-0',
    '99-worker-generated-kubelet-10',
    '99-worker-generated-kubelet-x',
    '98-worker-generated-kubelet',
    '99-generated-kubelet',
    '99-worker-generated-containerruntime',
    'example.com/hold',
    '',
  ])('%j is not a generated name', (name) => {
    expect(isGeneratedName(name, naming)).toBe(false)
  })
})

describe('the suffix of an object', () => {
  it('comes from its annotation', () => {
    expect(claimedSuffix(object([], { [suffix]: '' }), naming)).toBe(0)
    expect(claimedSuffix(object([], { [suffix]: '3' }), naming)).toBe(3)
    expect(claimedSuffix(object(['99-a-generated-kubelet-2'], { [suffix]: '3' }), naming)).toBe(3)
  })

  it.each(['0', '10', '-1', 'x', ' ', '01'])('cannot be %j', (text) => {
    expect(annotatedSuffix(object([], { [suffix]: text }))).toBeUndefined()
    expect(claimedSuffix(object([], { [suffix]: text }), naming)).toBeUndefined()
  })

  it('is otherwise the largest of its MachineConfigs', () => {
    expect(claimedSuffix(object(['99-master-generated-kubelet']), naming)).toBe(0)
    const several = ['99-a-generated-kubelet', 'example.com/x-7', '99-b-generated-kubelet-2']
    expect(claimedSuffix(object(several), naming)).toBe(2)
    expect(claimedSuffix(object([`99-master-${uid}-kubelet`]), naming)).toBe(0)
    expect(claimedSuffix(object(['example.com/hold']), naming)).toBeUndefined()
    expect(claimedSuffix({ metadata: { name: 'a' }, spec: {} }, naming)).toBeUndefined()
  })
})
