import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeSketch } from './scene.fixture.ts'
import { at, node } from './scene.fixture.ts'
import { factsOf } from './node-facts.ts'
import { emptyRecord, formatRecord, parseRecord, turnState, withEnded } from './turns.ts'

const turn = { config: 'V1', from: '20', at: 0 }

describe('the state of a turn by a cached node that is', () => {
  it.each<[string, NodeSketch, object]>([
    ['older than the turn', { ...at('V0'), version: '9' }, { type: 'given', retry: false }],
    ['older, and done', { ...at('V1'), version: '19' }, { type: 'given', retry: false }],
    ['as old as the turn', { ...at('V0'), version: '20' }, { type: 'given', retry: true }],
    ['targeted', { ...at('V0', 'V1'), version: '21' }, { type: 'taken' }],
    ['failed', { ...at('V0', 'V1', { state: 'Degraded' }), version: '30' }, { type: 'taken' }],
    [
      'updated but not ready',
      { ...at('V1', 'V1', { ready: false }), version: '30' },
      { type: 'taken' },
    ],
    ['updated and ready', { ...at('V1'), version: '100' }, { type: 'over' }],
    ['newer without the config', { ...at('V0'), version: '21' }, { type: 'void' }],
  ])('%s', (_, sketch, expected) => {
    expect(turnState(turn, factsOf(node(sketch)))).toEqual(expected)
  })
})

describe('the record on the pool', () => {
  it('is read as it was written', () => {
    const turns = fc.dictionary(
      fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/),
      fc.record({ config: fc.string(), from: fc.string(), at: fc.nat() }),
    )
    fc.assert(
      fc.property(turns, fc.array(fc.nat(), { maxLength: 20 }), (given, took) => {
        const record = { turns: new Map(Object.entries(given)), took, endedAt: 5 }
        expect(parseRecord(formatRecord(record))).toEqual(record)
      }),
    )
  })

  it('with invalid content is read as far as possible, and never throws', () => {
    const invalid = JSON.stringify({
      turns: { a: turn, b: { config: 1 }, c: null },
      took: ['x', 7],
    })
    expect(parseRecord(invalid)).toEqual({ turns: new Map([['a', turn]]), took: [7] })
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseRecord(text).turns).toBeInstanceOf(Map)
      }),
    )
  })

  it('keeps the durations of the last twenty turns', () => {
    const ended = Array.from({ length: 25 }, (_, i) => ({ ...turn, at: i * 1000 }))
    const record = withEnded(emptyRecord, new Map(), ended, 60_000)
    expect(record.took).toHaveLength(20)
    expect(record.took[0]).toBe(55)
    expect(record.endedAt).toBe(60_000)
  })
})
