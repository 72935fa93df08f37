import { describe, expect, it } from 'vitest'
import { builtInKinds } from '../kinds/built-in-kinds.ts'
import type { Store } from '../store/store.ts'
import { inTurn } from './write-turns.ts'

const kindOf = (plural: string): { kind: (typeof builtInKinds)[number] } => ({
  kind: builtInKinds.find((kind) => kind.plural === plural)!,
})

describe('writes of kinds that share something', () => {
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
      inTurn(context, services, act('a', true)),
      inTurn(context, services, act('b', false)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('of other kinds do not', async () => {
    const context = { store: {} as Store }
    const seen: string[] = []
    const act = (name: string) => async (): Promise<void> => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
    }
    const pods = kindOf('pods')
    await Promise.all([inTurn(context, pods, act('a')), inTurn(context, pods, act('b'))])
    expect(seen).toEqual(['a begins', 'b begins', 'a ends', 'b ends'])
  })
})
