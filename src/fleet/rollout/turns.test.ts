import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeSketch } from './scene.fixture.ts'
import { at, facts, node } from './scene.fixture.ts'
import { decide } from '../../controllers/rollout/decide.ts'
import { factsOf } from './node-facts.ts'
import { emptyRecord, formatRecord, parseRecord, turnState, withEnded } from './turns.ts'

const turn = { config: 'V1', from: '20', at: 0 }

describe('what a picture of a node says about its turn', () => {
  it.each<[string, NodeSketch, object]>([
    ['older than the turn', { ...at('V0'), version: '9' }, { is: 'given', retry: false }],
    ['older, and looks done', { ...at('V1'), version: '19' }, { is: 'given', retry: false }],
    ['as old as the turn', { ...at('V0'), version: '20' }, { is: 'given', retry: true }],
    ['told', { ...at('V0', 'V1'), version: '21' }, { is: 'taken' }],
    ['failed', { ...at('V0', 'V1', { state: 'Degraded' }), version: '30' }, { is: 'taken' }],
    ['there but away', { ...at('V1', 'V1', { ready: false }), version: '30' }, { is: 'taken' }],
    ['back', { ...at('V1'), version: '100' }, { is: 'over' }],
    ['never told', { ...at('V0'), version: '21' }, { is: 'void' }],
  ])('%s', (_, sketch, expected) => {
    expect(turnState(turn, factsOf(node(sketch)))).toEqual(expected)
  })
})

describe('the record on the pool', () => {
  it('survives being written and read', () => {
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

  it('that somebody spoilt is read as far as it goes, and never throws', () => {
    const spoilt = JSON.stringify({ turns: { a: turn, b: { config: 1 }, c: null }, took: ['x', 7] })
    expect(parseRecord(spoilt)).toEqual({ turns: new Map([['a', turn]]), took: [7] })
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseRecord(text).turns).toBeInstanceOf(Map)
      }),
    )
  })

  it('remembers how long the last twenty turns took', () => {
    const ended = Array.from({ length: 25 }, (_, i) => ({ ...turn, at: i * 1000 }))
    const record = withEnded(emptyRecord, new Map(), ended, 60_000)
    expect(record.took).toHaveLength(20)
    expect(record.took[0]).toBe(55)
    expect(record.endedAt).toBe(60_000)
  })
})

describe('a decision', () => {
  const record = (turns: object): Record<string, string> => ({
    'machinist.dev/rollout': JSON.stringify({ turns, took: [] }),
  })

  it('gives the turn before it tells', () => {
    const plan = decide(facts({}, [{ ...at('V0'), version: '42' }, at('V0')]))
    expect(plan.record?.turns).toEqual(
      new Map([['node-0', { config: 'V1', from: '42', at: Date.parse('2026-03-01T10:00:00Z') }]]),
    )
    expect(plan.writes[0]).toMatchObject({ node: 'node-0', version: '42', tells: true })
  })

  it('on an old picture counts the node that somebody may have told', () => {
    const annotations = record({ 'node-1': turn })
    const plan = decide(facts({ annotations }, [at('V0'), { ...at('V0'), version: '7' }]))
    expect([plan.chosen, plan.record]).toEqual([[], undefined])
    expect([...plan.situation.disrupted]).toEqual(['node-1'])
  })

  it('finishes what was begun before a crash, without a second turn', () => {
    const annotations = record({ 'node-1': turn })
    const plan = decide(facts({ annotations }, [at('V0'), { ...at('V0'), version: '20' }]))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-1'])
    expect(plan.record).toBeUndefined()
  })

  describe('withdraws a turn whose config the pool no longer wants', () => {
    const annotations = record({ 'node-0': { ...turn, config: 'V2' } })
    const withdrawn = 'machinist.dev/withdrawn-turn'
    const waits = at('V2')

    it('with a write to the node, so that the API server rejects a late request', () => {
      const plan = decide(facts({ annotations }, [{ ...at('V1'), version: '20' }, waits]))
      expect(plan.writes[0]).toEqual({
        node: 'node-0',
        version: '20',
        annotations: { [withdrawn]: '20' },
        tells: false,
      })
      expect([plan.chosen, plan.record]).toEqual([[], undefined])
    })

    it('and gives the next turn once the cache shows that write', () => {
      const seen = at('V1', 'V1', { version: '21', annotations: { [withdrawn]: '20' } })
      const plan = decide(facts({ annotations }, [seen, waits]))
      expect(plan.writes.map(({ node: name, tells }) => [name, tells])).toEqual([['node-1', true]])
      expect([...(plan.record?.turns.keys() ?? [])]).toEqual(['node-1'])
    })

    it('but writes nothing while the pool is paused', () => {
      const nodes = [{ ...at('V1'), version: '20' }, waits]
      expect(decide(facts({ annotations, paused: true }, nodes)).writes).toEqual([])
    })

    it('but not the turn of a node that has to drain in the config it has', () => {
      const given = record({ 'node-0': turn })
      const plan = decide(facts({ annotations: given }, [{ ...at('V1'), version: '20' }]))
      expect(plan.writes).toEqual([])
    })

    it('and removes the annotation with the next config', () => {
      const [write] = decide(
        facts({}, [at('V0', 'V0', { annotations: { [withdrawn]: '7' } })]),
      ).writes
      expect(write?.annotations).toEqual({
        'machineconfiguration.openshift.io/desiredConfig': 'V1',
        [withdrawn]: null,
      })
    })
  })

  it('ends a turn and gives the next one in one write', () => {
    const annotations = record({ 'node-0': { ...turn, at: Date.parse('2026-03-01T09:55:00Z') } })
    const plan = decide(facts({ annotations }, [{ ...at('V1'), version: '30' }, at('V0')]))
    expect([...(plan.record?.turns.keys() ?? [])]).toEqual(['node-1'])
    expect(plan.record?.took).toEqual([300])
  })

  it('forgets the turn of a node that left, and of no other', () => {
    const annotations = record({ gone: turn, unseen: turn })
    const plan = decide(facts({ annotations }, [at('V0')], { left: new Set(['gone']) }))
    expect([...(plan.record?.turns.keys() ?? [])]).toEqual(['unseen'])
    expect(plan.chosen).toEqual([])
  })

  it('never has more turns open than an annotation holds', () => {
    const nodes = Array.from({ length: 1200 }, () => at('V0'))
    const plan = decide(facts({ maxUnavailable: '100%' }, nodes))
    expect(plan.record?.turns.size).toBe(1000)
    expect(formatRecord(plan.record!).length).toBeLessThan(250_000)
  })
})
