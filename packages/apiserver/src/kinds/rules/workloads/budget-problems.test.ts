import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../kind-rules.ts'
import { budgetProblems } from './budget-problems.ts'

const spec = (fields: object): string[] =>
  budgetProblems({ metadata: { name: 'b' }, spec: fields }, undefined).map(
    ({ field, message }) => `${field}: ${message}`,
  )

const status = (fields: object): string[] =>
  budgetProblems({ metadata: { name: 'b' }, status: fields }, 'status').map(
    ({ field, message }) => `${field}: ${message}`,
  )

const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

describe('a budget', () => {
  it('is valid with a number, a percentage, or neither', () => {
    expect(spec({ minAvailable: 1 })).toEqual([])
    expect(spec({ maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'AlwaysAllow' })).toEqual([])
    expect(spec({ selector: {} })).toEqual([])
    expect(spec({})).toEqual([])
  })

  it('has minAvailable or maxUnavailable, not both', () => {
    expect(spec({ minAvailable: 1, maxUnavailable: 1 })).toEqual([
      'spec: Invalid value: policy.PodDisruptionBudgetSpec: minAvailable and maxUnavailable cannot be both set',
    ])
  })

  it('has a number or a percentage', () => {
    expect(spec({ minAvailable: -1 })).toEqual([
      'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0',
    ])
    expect(spec({ minAvailable: 'many' })).toEqual([
      `spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"many"}: ${percent}`,
    ])
    expect(spec({ maxUnavailable: '101%' })).toEqual([
      'spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ])
    expect(spec({ maxUnavailable: '-1%' })).toEqual([
      `spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"-1%"}: ${percent}`,
    ])
  })

  it('has one of two unhealthyPodEvictionPolicies', () => {
    expect(spec({ unhealthyPodEvictionPolicy: 'Never' })).toEqual([
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ])
  })

  it('has a valid selector', () => {
    const expression = (fields: object): string[] =>
      spec({ selector: { matchExpressions: [{ key: 'a', ...fields }] } })
    expect(expression({ operator: 'Near' })).toEqual([
      'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
    ])
    expect(expression({ operator: 'In' })).toEqual([
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ])
    expect(expression({ operator: 'Exists', values: ['x'] })).toEqual([
      "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ])
    expect(expression({ operator: 'NotIn', values: ['x'] })).toEqual([])
    const wrong = spec({ selector: { matchLabels: { 'a b': 'c d' } } })
    expect(wrong.map((reported) => reported.slice(0, 50))).toEqual([
      'spec.selector.matchLabels: Invalid value: "a b": n',
      'spec.selector.matchLabels: Invalid value: "c d": a',
    ])
  })

  it('has a status without negative numbers and with complete conditions', () => {
    expect(
      status({
        disruptionsAllowed: -1,
        expectedPods: -3,
        conditions: [{ type: 'X', status: 'True' }],
      }),
    ).toEqual([
      'status.conditions[0].lastTransitionTime: Required value: must be set',
      'status.conditions[0].reason: Required value: must be set',
      'status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0',
      'status.expectedPods: Invalid value: -3: must be greater than or equal to 0',
    ])
    const lastTransitionTime = '2020-01-01T00:00:00Z'
    const wrong = [{ type: 'X', status: 'Maybe', reason: 'not a reason', lastTransitionTime }]
    expect(status({ conditions: wrong }).map((reported) => reported.slice(0, 70))).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported val',
      'status.conditions[0].reason: Invalid value: "not a reason": a conditio',
    ])
    expect(spec({ minAvailable: -1 })).toHaveLength(1)
    expect(status({ currentHealthy: 0 })).toEqual([])
  })

  it('of any shape is valid or not, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (some, other) => {
        const budget = { metadata: { name: 'b' }, spec: some, status: other } as ApiObject
        expect(Array.isArray(budgetProblems(structuredClone(budget), undefined))).toBe(true)
        expect(Array.isArray(budgetProblems(budget, 'status'))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
