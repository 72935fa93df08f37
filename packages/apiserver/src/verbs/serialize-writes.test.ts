import { describe, expect, it } from 'vitest'
import { builtInKinds } from '../kinds/catalog/built-in-kinds.ts'
import type { Store } from '../store/store.ts'
import { serializeWrites } from './serialize-writes.ts'

const kindOf = (plural: string): { kind: (typeof builtInKinds)[number] } => ({
  kind: builtInKinds.find((kind) => kind.plural === plural)!,
})

describe('writes of serialized kinds', () => {
  it('wait for each other, also after a failure', async () => {
    const context = { store: {} as Store }
    const seen: string[] = []
    const act = (name: string, fails: boolean) => async (): Promise<string> => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
    const services = kindOf('services')
    const outcomes = await Promise.allSettled([
      serializeWrites(context, services, act('a', true)),
      serializeWrites(context, services, act('b', false)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('do not wait for other kinds', async () => {
    const context = { store: {} as Store }
    const seen: string[] = []
    const act = (name: string) => async (): Promise<void> => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
    }
    const pods = kindOf('pods')
    await Promise.all([
      serializeWrites(context, pods, act('a')),
      serializeWrites(context, pods, act('b')),
    ])
    expect(seen).toEqual(['a begins', 'b begins', 'a ends', 'b ends'])
  })
})
