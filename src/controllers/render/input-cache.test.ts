import { describe, expect, it } from 'vitest'
import { configOf } from '../../fleet/render/render-inputs.fixture.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import { InputCache } from './input-cache.ts'

function counting(): { cache: InputCache; read: string[] } {
  const read: string[] = []
  const cache = new InputCache((machineConfig) => {
    read.push(machineConfig.metadata.name)
    return readInput(machineConfig)
  })
  return { cache, read }
}

describe('the cache of inputs', () => {
  it('parses only the changed MachineConfig', () => {
    const { cache, read } = counting()
    const all = Array.from({ length: 300 }, (_, i) =>
      configOf(`mc-${i}`, { kernelArguments: [`${i}`] }),
    )
    const before = all.map((one) => cache.get(one))
    expect(read).toHaveLength(300)
    const changed = all.map((one, i) =>
      i === 7 ? configOf('mc-7', { kernelArguments: ['new'] }) : one,
    )
    const after = changed.map((one) => cache.get(one))
    expect(read.slice(300)).toEqual(['mc-7'])
    expect(after.filter((input, i) => input !== before[i]).map(({ name }) => name)).toEqual([
      'mc-7',
    ])
    expect(after[7]!.spec.kernelArguments).toEqual(['new'])
  })

  it('recognizes the same content in another object', () => {
    const { cache, read } = counting()
    const first = cache.get(configOf('a', { fips: true }))
    const again = { ...configOf('a', { fips: true }) }
    again.metadata.resourceVersion = '2'
    expect(cache.get(again)).toBe(first)
    expect(read).toEqual(['a'])
  })

  it('parses again if the generating controller changes', () => {
    const { cache } = counting()
    const made = configOf('a')
    expect(cache.get(made).generatedBy).toBe('')
    const annotations = {
      'machineconfiguration.openshift.io/generated-by-controller-version': 'b',
    }
    expect(cache.get({ ...made, metadata: { ...made.metadata, annotations } }).generatedBy).toBe(
      'b',
    )
  })

  it('forgets deleted MachineConfigs', () => {
    const { cache, read } = counting()
    const one = configOf('a')
    cache.get(one)
    cache.forget('a')
    expect(cache.size).toBe(0)
    cache.get(one)
    expect(read).toEqual(['a', 'a'])
  })
})
