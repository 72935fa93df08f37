import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthorizerValue } from '../cel/authorizer.ts'
import { dynamicValue } from '../cel/values.ts'
import type { CompiledExpression } from './policies/compiled-expression.ts'
import { compileExpressionFor } from './policies/compiled-expression.ts'
import { compilePolicy, compileVariables } from './policies/compiled-policy.ts'
import { Evaluation, OutOfBudget } from './evaluation.ts'
import type { NamedExpression } from './policies/policy-objects.ts'

const scope = { params: true, authorizer: true, variables: undefined }
const any = (text: string): CompiledExpression => compileExpressionFor(text, scope, [])

function evaluation(
  object: unknown = {},
  variables: readonly NamedExpression[] = [],
): { evaluation: Evaluation; compile: (text: string) => CompiledExpression } {
  const made = compileVariables({ variables })
  const rights = (chargeCheck: () => void): AuthorizerValue =>
    new AuthorizerValue(({ verb }) => {
      chargeCheck()
      return { allowed: verb === 'get', reason: 'because' }
    }, {})
  const contextOf = (chargeCheck: () => void): Record<string, unknown> => ({
    object: dynamicValue(object),
    oldObject: null,
    request: {},
    params: null,
    namespaceObject: null,
    authorizer: rights(chargeCheck),
  })
  return {
    evaluation: new Evaluation(contextOf, made.variables),
    compile: (text) => compileExpressionFor(text, made.scope, []),
  }
}

const limit = 'operation cancelled: actual cost limit exceeded'
const ten = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]'
const loops = 'abcdefg'
  .split('')
  .reduceRight((inner, name) => `${ten}.all(${name}, ${inner})`, 'true')

describe('an evaluation', () => {
  it('returns a value or an error', () => {
    const { evaluation: requested } = evaluation({ a: 1 })
    expect(requested.of(any('object.a + 1'))).toEqual({ value: 2n })
    expect(requested.of(any('object.b'))).toEqual({
      problem: "expression 'object.b' resulted in error: no such key: b",
    })
    expect(requested.of({ text: 'x', problem: 'broken' })).toEqual({
      problem: 'compilation error: broken',
    })
  })

  it('evaluates each variable once, and only if used', () => {
    const variables = [
      { name: 'bad', expression: '1/0 == 1' },
      { name: 'a', expression: 'object.list.map(i, i * 2)' },
      { name: 'b', expression: 'variables.a.size()' },
    ]
    const { evaluation: requested, compile } = evaluation({ list: [1, 2] }, variables)
    expect(requested.of(compile('variables.b == 2 && variables.a == [2, 4]'))).toEqual({
      value: true,
    })
    expect(requested.of(compile('variables.bad'))).toEqual({
      problem:
        'expression \'variables.bad\' resulted in error: composited variable "bad" fails to evaluate: division by zero',
    })
  })

  it('supports null variables', () => {
    const variables = [{ name: 'none', expression: 'null' }]
    const { evaluation: requested, compile } = evaluation({}, variables)
    expect(requested.of(compile('variables.none == null'))).toEqual({ value: true })
  })

  it('stops at the cost limit', () => {
    const { evaluation: requested } = evaluation()
    expect(requested.of(any(loops))).toEqual({
      problem: `expression '${loops}' resulted in error: ${limit}`,
    })
  })

  it.each([
    ['lists that double', `[[1]]${'.map(a, a + a)'.repeat(40)}.size()`],
    ['texts that double', `['ab']${'.map(a, a + a)'.repeat(60)}.size()`],
    ['replacing', `'a'${".replace('a', 'aaaaaaaaaa')".repeat(9)}.size()`],
  ])('stops when values grow too large: %s', (_, text) => {
    const { evaluation: requested } = evaluation()
    expect(requested.of(any(text))).toEqual({
      problem: `expression '${text}' resulted in error: ${limit}`,
    })
  })

  it('stops when variables double each other', () => {
    const variables = Array.from({ length: 50 }, (_, i) => ({
      name: `v${i}`,
      expression: i === 0 ? '[1]' : `variables.v${i - 1} + variables.v${i - 1}`,
    }))
    const { evaluation: requested, compile } = evaluation({}, variables)
    expect(JSON.stringify(requested.of(compile('variables.v49.size() == 1')))).toContain(limit)
  })

  it('allows two permission checks per expression', () => {
    const check = (verb: string): string =>
      `authorizer.group('').resource('pods').check('${verb}').allowed()`
    const { evaluation: requested } = evaluation()
    expect(requested.of(any(`${check('get')} && !${check('list')}`))).toEqual({ value: true })
    const thrice = [1, 2, 3].map(() => check('get')).join(' && ')
    expect(requested.of(any(thrice))).toEqual({
      problem: `expression '${thrice}' resulted in error: ${limit}`,
    })
  })

  it('has a limit for the whole policy', () => {
    const { evaluation: requested } = evaluation()
    const costly = any(`authorizer.path('/a').check('get').allowed() && ${loops}`)
    const all = (): void => {
      for (let i = 0; i < 20; i++) requested.of(costly)
    }
    expect(all).toThrow(OutOfBudget)
  })
})

describe('any expression', () => {
  const tokens =
    'object oldObject request variables params authorizer namespaceObject .a .name .userInfo [0] ( ) "x" 1 == && ! has all , { } ? : + .size() null in .?b .orValue( .check( .group('.split(
      ' ',
    )
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...tokens), { maxLength: 14 }).map((parts) => parts.join('')),
  )

  it('compiles or has a compile error; then has a value or an error', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const made = any(text)
        const result = evaluation({ a: [1], b: 'c' }).evaluation.of(made)
        expect('problem' in made || 'type' in made).toBe(true)
        expect('problem' in result || 'value' in result).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('in any field of a policy', () => {
    fc.assert(
      fc.property(texts, texts, (one, two) => {
        const policy = compilePolicy({
          variables: [{ name: 'x', expression: one }],
          matchConditions: [{ name: 'c', expression: two }],
          validations: [{ expression: two, messageExpression: one }],
          auditAnnotations: [{ key: 'k', valueExpression: one }],
        })
        expect(policy.validations.map(({ expression }) => expression.text)).toEqual([two])
      }),
      { numRuns: 100 },
    )
  })
})
