import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecisionChain } from './decision-chain.ts'

interface Pod {
  readonly node?: string
  readonly isReady: boolean
}

const chain = new DecisionChain<Pod, { readonly action: string; readonly why: string }>(
  [
    {
      name: 'it is scheduled',
      decide: ({ node }) =>
        node === undefined ? { action: 'schedule', why: 'it has no node' } : undefined,
      passes: ({ node }) => `it is on ${node}`,
    },
    {
      name: 'it is ready',
      decide: ({ isReady }) => (isReady ? undefined : { action: 'wait', why: 'it starts' }),
    },
  ],
  ({ why }) => why,
)

describe('a decision chain', () => {
  it('evaluates to the first check that decides', () => {
    expect(chain.evaluate({ isReady: false })).toEqual({
      check: 'it is scheduled',
      result: { action: 'schedule', why: 'it has no node' },
    })
    expect(chain.evaluate({ node: 'n1', isReady: true })).toBeUndefined()
  })

  it('explains every check up to the one that decides', () => {
    expect(chain.explain({ isReady: false })).toEqual([
      { check: 'it is scheduled', passed: false, because: 'it has no node' },
    ])
    expect(chain.explain({ node: 'n1', isReady: false })).toEqual([
      { check: 'it is scheduled', passed: true, because: 'it is on n1' },
      { check: 'it is ready', passed: false, because: 'it starts' },
    ])
  })

  it('is made of functions by name, in their order', () => {
    const named = DecisionChain.of<number, string>(
      { 'is even': (n) => (n % 2 === 0 ? 'even' : undefined), 'is odd': () => 'odd' },
      (text) => text,
    )
    expect(named.names).toEqual(['is even', 'is odd'])
    expect(named.evaluate(2)).toEqual({ check: 'is even', result: 'even' })
    expect(named.evaluate(3)).toEqual({ check: 'is odd', result: 'odd' })
  })

  it('explains what it evaluates', () => {
    fc.assert(
      fc.property(
        fc.record({ node: fc.constantFrom(undefined, 'n1'), isReady: fc.boolean() }),
        (facts) => {
          const pod = {
            ...(facts.node !== undefined && { node: facts.node }),
            isReady: facts.isReady,
          }
          const decided = chain.evaluate(pod)
          const last = chain.explain(pod).at(-1)!
          const expected = decided
            ? { passed: false, check: decided.check, because: decided.result.why }
            : { passed: true }
          expect(last).toMatchObject(expected)
        },
      ),
    )
  })
})
