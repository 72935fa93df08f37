import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthorizerValue } from '../schema/cel-authorizer.ts'
import { dynamicValue } from '../schema/cel-values.ts'
import type { Compiled } from './compiled-expression.ts'
import { compiled } from './compiled-expression.ts'
import { compilePolicy, compileVariables } from './compiled-policy.ts'
import { Evaluation, OutOfBudget } from './evaluation.ts'
import type { NamedExpression } from './policy-objects.ts'

const scope = { params: true, authorizer: true, variables: undefined }
const any = (text: string): Compiled => compiled(text, scope, [])

function evaluation(
  object: unknown = {},
  variables: readonly NamedExpression[] = [],
): { evaluation: Evaluation; compile: (text: string) => Compiled } {
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
    compile: (text) => compiled(text, made.scope, []),
  }
}

const limit = 'operation cancelled: actual cost limit exceeded'
const ten = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]'
const loops = 'abcdefg'
  .split('')
  .reduceRight((inner, name) => `${ten}.all(${name}, ${inner})`, 'true')

describe('an evaluation', () => {
  it('gives a value or says what is wrong', () => {
    const { evaluation: asked } = evaluation({ a: 1 })
    expect(asked.of(any('object.a + 1'))).toEqual({ value: 2n })
    expect(asked.of(any('object.b'))).toEqual({
      problem: "expression 'object.b' resulted in error: no such key: b",
    })
    expect(asked.of({ text: 'x', problem: 'broken' })).toEqual({
      problem: 'compilation error: broken',
    })
  })

  it('works out each variable once, and only if it is used', () => {
    const variables = [
      { name: 'bad', expression: '1/0 == 1' },
      { name: 'a', expression: 'object.list.map(i, i * 2)' },
      { name: 'b', expression: 'variables.a.size()' },
    ]
    const { evaluation: asked, compile } = evaluation({ list: [1, 2] }, variables)
    expect(asked.of(compile('variables.b == 2 && variables.a == [2, 4]'))).toEqual({ value: true })
    expect(asked.of(compile('variables.bad'))).toEqual({
      problem:
        'expression \'variables.bad\' resulted in error: composited variable "bad" fails to evaluate: division by zero',
    })
  })

  it('has variables that are null', () => {
    const variables = [{ name: 'none', expression: 'null' }]
    const { evaluation: asked, compile } = evaluation({}, variables)
    expect(asked.of(compile('variables.none == null'))).toEqual({ value: true })
  })

  it('ends what takes too long', () => {
    const { evaluation: asked } = evaluation()
    expect(asked.of(any(loops))).toEqual({
      problem: `expression '${loops}' resulted in error: ${limit}`,
    })
  })

  it.each([
    ['lists that double', `[[1]]${'.map(a, a + a)'.repeat(40)}.size()`],
    ['texts that double', `['ab']${'.map(a, a + a)'.repeat(60)}.size()`],
    ['replacing', `'a'${".replace('a', 'aaaaaaaaaa')".repeat(9)}.size()`],
  ])('ends what grows too big: %s', (_, text) => {
    const { evaluation: asked } = evaluation()
    expect(asked.of(any(text))).toEqual({
      problem: `expression '${text}' resulted in error: ${limit}`,
    })
  })

  it('ends variables that double each other', () => {
    const variables = Array.from({ length: 50 }, (_, i) => ({
      name: `v${i}`,
      expression: i === 0 ? '[1]' : `variables.v${i - 1} + variables.v${i - 1}`,
    }))
    const { evaluation: asked, compile } = evaluation({}, variables)
    expect(JSON.stringify(asked.of(compile('variables.v49.size() == 1')))).toContain(limit)
  })

  it('lets an expression ask for rights twice', () => {
    const check = (verb: string): string =>
      `authorizer.group('').resource('pods').check('${verb}').allowed()`
    const { evaluation: asked } = evaluation()
    expect(asked.of(any(`${check('get')} && !${check('list')}`))).toEqual({ value: true })
    const thrice = [1, 2, 3].map(() => check('get')).join(' && ')
    expect(asked.of(any(thrice))).toEqual({
      problem: `expression '${thrice}' resulted in error: ${limit}`,
    })
  })

  it('has an end for a policy as a whole', () => {
    const { evaluation: asked } = evaluation()
    const costly = any(`authorizer.path('/a').check('get').allowed() && ${loops}`)
    const all = (): void => {
      for (let i = 0; i < 20; i++) asked.of(costly)
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

  it('compiles or has a problem, and then has a value or a problem', () => {
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

  it('in any place of a policy', () => {
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
