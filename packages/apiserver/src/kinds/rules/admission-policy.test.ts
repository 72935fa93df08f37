import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import type { ApiObject, WriteContext } from '../kind-rules.ts'
import { policyBindingRules, policyRules } from './admission-policy.ts'

const writeContext: WriteContext = { now: 0, random: seededRandom(1), siblings: () => [] }
const object = (spec: unknown): ApiObject => ({ metadata: { name: 'p' }, spec })

function problems(rules: typeof policyRules, spec: unknown, subresource?: string): string[] {
  const written = object(structuredClone(spec))
  rules.complete?.(written)
  const causes = rules.validate?.(written, undefined, { ...writeContext, subresource }) ?? []
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }

describe('a policy', () => {
  it('is defaulted', () => {
    const policy = object({ matchConstraints: { resourceRules: [{ ...rule }] } })
    policyRules.complete?.(policy)
    expect(policy).toEqual({
      metadata: { name: 'p' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...rule, scope: '*' }],
        },
      },
      status: {},
    })
  })

  it('is validated on writes, not on status updates', () => {
    expect(problems(policyRules, {}, 'status')).toEqual([])
    expect(problems(policyRules, {})).toEqual([
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ])
  })

  it('can have at most 64 conditions and 20 annotations', () => {
    const many = <T>(count: number, make: (i: number) => T): T[] =>
      Array.from({ length: count }, (_, i) => make(i))
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: many(65, (i) => ({ name: `c${i}`, expression: 'true' })),
      auditAnnotations: many(21, (i) => ({ key: `k${i}`, valueExpression: "'v'" })),
    }
    const [conditions, annotations, ...others] = problems(policyRules, spec)
    expect(conditions).toBe('spec.matchConditions: Too many: 65: must have at most 64 items')
    expect(annotations).toMatch(
      /^spec\.auditAnnotations: Invalid value: .*: must not have more than 20 auditAnnotations$/,
    )
    expect(others).toEqual([])
  })

  it('can have an annotation of five kilobytes', () => {
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      auditAnnotations: [{ key: 'k', valueExpression: `'${'v'.repeat(5 * 1024)}'` }],
    }
    expect(problems(policyRules, spec)).toEqual([
      'spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length',
    ])
  })

  it('of any JSON never throws', () => {
    const names =
      'matchConstraints resourceRules validations expression variables name paramKind matchConditions auditAnnotations key valueExpression namespaceSelector apiGroups resources policyName paramRef validationActions matchResources'.split(
        ' ',
      )
    const { spec } = fc.letrec((tie) => ({
      spec: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, true, '', 'a', 'object.a == 1', '*'),
        fc.array(tie('spec'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('spec'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(spec, (any) => {
        expect(Array.isArray(problems(policyRules, any))).toBe(true)
        expect(Array.isArray(problems(policyBindingRules, any))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a binding', () => {
  it('is validated', () => {
    expect(problems(policyBindingRules, { policyName: 'A_', validationActions: ['Deny'] })).toEqual(
      [
        "spec.policyName: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    )
    expect(problems(policyBindingRules, { policyName: 'a', validationActions: ['Deny'] })).toEqual(
      [],
    )
  })
})
