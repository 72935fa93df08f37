import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testWriteContext } from '../../write-context.fixture.ts'
import type { ApiObject, KindRules } from '../../kind-rules.ts'
import {
  labelsText,
  selectorProblems,
  selectorText,
  selects,
} from '../../../objects/selector-checks.ts'
import { daemonSetRules, deploymentRules, replicaSetRules } from './workload.ts'

const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
}
const good = { selector: { matchLabels: { a: 'b' } }, template }

const workload = (rules: KindRules, spec: object): ApiObject => {
  const made: ApiObject = { metadata: { name: 'w' }, spec: structuredClone(spec) }
  rules.complete?.(made)
  return made
}

const fieldsSaid = (rules: KindRules, spec: object, before?: object): string[] => {
  const old = before && workload(rules, before)
  const causes = rules.validate?.(workload(rules, spec), old, testWriteContext()) ?? []
  return causes.map(({ field }) => field ?? '')
}

describe.each([
  ['deployment', deploymentRules],
  ['daemon set', daemonSetRules],
  ['replica set', replicaSetRules],
])('a %s', (_, rules) => {
  it('selects its own pods with an immutable selector', () => {
    expect(fieldsSaid(rules, good)).toEqual([])
    const other = { matchLabels: { a: 'c' } }
    expect(fieldsSaid(rules, { ...good, selector: other })).toEqual([
      'spec.template.metadata.labels',
    ])
    expect(fieldsSaid(rules, good, good)).toEqual([])
    const wider = { matchExpressions: [{ key: 'a', operator: 'Exists' }] }
    expect(fieldsSaid(rules, { ...good, selector: wider }, good)).toEqual(['spec.selector'])
  })

  it('has a valid template with restartPolicy Always', () => {
    const deletion = { ...template.spec, restartPolicy: 'Never' }
    expect(fieldsSaid(rules, { ...good, template: { ...template, spec: deletion } })).toEqual([
      'spec.template.spec.restartPolicy',
    ])
    const empty = { ...template, spec: { containers: [] } }
    expect(fieldsSaid(rules, { ...good, template: empty })).toEqual([
      'spec.template.spec.containers',
    ])
  })

  it('of any shape is valid or not, and never throws', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.object({ maxDepth: 2 }))
    const names = ['selector', 'template', 'replicas', 'strategy', 'updateStrategy']
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (spec) => {
        expect(fieldsSaid(rules, spec).every((field) => field.startsWith('spec'))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a DaemonSet', () => {
  it('counts its template generations', () => {
    const count = (spec: object, before: ApiObject): string | undefined => {
      const after: ApiObject = { metadata: { name: 'w' }, spec: structuredClone(spec) }
      daemonSetRules.prepareForUpdate?.(after, before, testWriteContext())
      daemonSetRules.complete?.(after)
      return after.metadata.annotations?.['deprecated.daemonset.template.generation']
    }
    const before = workload(daemonSetRules, good)
    expect(count(good, before)).toBe('1')
    expect(count({ ...good, template: { ...template, metadata: {} } }, before)).toBe('2')
  })
})

describe('a label selector', () => {
  it.each([
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, []],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, ['s.matchExpressions[0].values']],
    [
      { matchExpressions: [{ key: '', operator: 'Exists' }] },
      ['s.matchExpressions[0].key', 's.matchExpressions[0].key'],
    ],
    [{ matchLabels: { a: '-' } }, ['s.matchLabels']],
    ['nonsense', []],
  ])('%j is invalid in %j', (selector, fields) => {
    expect(selectorProblems(selector, 's').map(({ field }) => field)).toEqual(fields)
  })

  it('selects labels', () => {
    expect(selects(undefined, {})).toBe(false)
    expect(selects({}, { a: 'b' })).toBe(true)
    expect(selects({ matchLabels: { a: 'b' } }, { a: 'b', c: 'd' })).toBe(true)
  })

  it('is printed as in Go', () => {
    expect(selectorText({})).toBe(
      'v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}',
    )
    expect(labelsText({ b: '2', a: '1' })).toBe('map[string]string{"a":"1", "b":"2"}')
  })
})
