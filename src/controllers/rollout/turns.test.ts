import { describe, expect, it } from 'vitest'
import { explainNode } from '../../fleet/rollout/explain.ts'
import { at, facts } from '../../fleet/rollout/scene.fixture.ts'
import { formatRecord } from '../../fleet/rollout/turns.ts'
import { decide } from './decide.ts'

const turn = { config: 'V1', from: '20', at: 0 }

describe('a decision', () => {
  const record = (turns: object): Record<string, string> => ({
    'machinist.dev/rollout': JSON.stringify({ turns, took: [] }),
  })

  it('gives the turn before it sets desiredConfig', () => {
    const plan = decide(facts({}, [{ ...at('V0'), version: '42' }, at('V0')]))
    expect(plan.record?.turns).toEqual(
      new Map([['node-0', { config: 'V1', from: '42', at: Date.parse('2026-03-01T10:00:00Z') }]]),
    )
    expect(plan.writes[0]).toMatchObject({ node: 'node-0', version: '42', setsTarget: true })
  })

  it('on a stale cache counts a node whose desiredConfig may have been set', () => {
    const annotations = record({ 'node-1': turn })
    const plan = decide(facts({ annotations }, [at('V0'), { ...at('V0'), version: '7' }]))
    expect([plan.chosen, plan.record]).toEqual([[], undefined])
    expect([...plan.situation.disrupted]).toEqual(['node-1'])
  })

  it('completes a turn after a crash, without a second turn', () => {
    const annotations = record({ 'node-1': turn })
    const plan = decide(facts({ annotations }, [at('V0'), { ...at('V0'), version: '20' }]))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-1'])
    expect(plan.record).toBeUndefined()
  })

  describe('withdraws a turn whose config is no longer the target', () => {
    const annotations = record({ 'node-0': { ...turn, config: 'V2' } })
    const withdrawn = 'machinist.dev/withdrawn-turn'
    const waiting = at('V2')

    it('with a write to the node, so that the API server rejects a late request', () => {
      const plan = decide(facts({ annotations }, [{ ...at('V1'), version: '20' }, waiting]))
      expect(plan.writes[0]).toEqual({
        node: 'node-0',
        version: '20',
        annotations: { [withdrawn]: '20' },
        setsTarget: false,
      })
      expect([plan.chosen, plan.record]).toEqual([[], undefined])
    })

    it('and gives the next turn once the cache shows that write', () => {
      const seen = at('V1', 'V1', { version: '21', annotations: { [withdrawn]: '20' } })
      const plan = decide(facts({ annotations }, [seen, waiting]))
      expect(plan.writes.map(({ node: name, setsTarget }) => [name, setsTarget])).toEqual([
        ['node-1', true],
      ])
      expect([...(plan.record?.turns.keys() ?? [])]).toEqual(['node-1'])
    })

    it('but writes nothing while the pool is paused', () => {
      const nodes = [{ ...at('V1'), version: '20' }, waiting]
      expect(decide(facts({ annotations, paused: true }, nodes)).writes).toEqual([])
    })

    it('but not the turn of a node that must drain in its current config', () => {
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

  it('removes the turn of a node that left the pool, and of no other', () => {
    const annotations = record({ gone: turn, unseen: turn })
    const plan = decide(facts({ annotations }, [at('V0')], { left: new Set(['gone']) }))
    expect([...(plan.record?.turns.keys() ?? [])]).toEqual(['unseen'])
    expect(plan.chosen).toEqual([])
  })

  it('never has more open turns than an annotation can hold', () => {
    const nodes = Array.from({ length: 1200 }, () => at('V0'))
    const plan = decide(facts({ maxUnavailable: '100%' }, nodes))
    expect(plan.record?.turns.size).toBe(1000)
    expect(formatRecord(plan.record!).length).toBeLessThan(250_000)
  })
})

describe('a node that booted into a custom pool', () => {
  it('gets labels instead of the target, and no other node waits for it', () => {
    const newcomer = { pool: 'infra', labels: { 'node-role.kubernetes.io/infra': '' } }
    const newcomers = new Map([['node-0', newcomer]])
    const plan = decide(facts({}, [at('I0'), at('V0')], { newcomers }))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-1'])
    expect(plan.writes.find(({ node }) => node === 'node-0')).toEqual({
      node: 'node-0',
      version: '1',
      annotations: { 'machineconfiguration.openshift.io/customPoolLabelsApplied': '' },
      labels: { 'node-role.kubernetes.io/infra': '' },
      setsTarget: false,
    })
    expect(explainNode(plan, 'node-0').at(-1)).toEqual({
      check: 'the node is in the pool that it booted into',
      passed: false,
      because: 'the node booted into pool infra and gets the labels of that pool first',
    })
  })

  it('is not written while its current pool is paused', () => {
    const newcomers = new Map([['node-0', { pool: 'infra', labels: { a: 'b' } }]])
    expect(decide(facts({ paused: true }, [at('I0')], { newcomers })).writes).toEqual([])
  })
})
