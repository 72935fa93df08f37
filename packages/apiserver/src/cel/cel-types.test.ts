import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthorizerValue, authorizerType } from './authorizer.ts'
import type { AuthorizationQuery } from './authorizer.ts'
import { newBudget } from './budget.ts'
import { compileExpression, ExpressionError, typeOfExpression } from './cel.ts'

const declared = {
  records: {
    'example.Part': { size: 'int' },
    'example.Thing': { name: 'string', part: 'example.Part', tags: 'list<string>', any: 'dyn' },
  },
  variables: { thing: 'example.Thing', object: 'dyn', authorizer: authorizerType },
}

function typeOf(text: string): string {
  try {
    return typeOfExpression(text, declared)
  } catch (error) {
    return error instanceof ExpressionError ? error.message : `another error: ${String(error)}`
  }
}

describe('the type of an expression', () => {
  it.each([
    ['thing.name', 'string'],
    ['thing.part.size + 1', 'int'],
    ['thing.tags', 'list<string>'],
    ['thing.tags[0]', 'string'],
    ['thing.any.x', 'dyn'],
    ['object.x.y', 'dyn'],
    ['thing == null', 'bool'],
    ['thing.part == thing.part', 'bool'],
    ['has(thing.part.size)', 'bool'],
    ['null', 'null_type'],
    ["authorizer.group('').resource('pods').check('get').allowed()", 'bool'],
    ["authorizer.requestResource.check('get')", 'kubernetes.authorization.Decision'],
  ])('%s is %s', (text, expected) => {
    expect(typeOf(text)).toBe(expected)
  })

  it.each([
    ['thing.nope', "ERROR: <input>:1:6: undefined field 'nope'\n | thing.nope\n | .....^"],
    [
      'thing.part.size == thing.name',
      "ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(int, string)'\n | thing.part.size == thing.name\n | ................^",
    ],
    [
      'object.nope()',
      "ERROR: <input>:1:12: undeclared reference to 'nope' (in container '')\n | object.nope()\n | ...........^",
    ],
    [
      'other',
      "ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other\n | ^",
    ],
    [
      "['a', 1]",
      "ERROR: <input>:1:7: expected type 'string' but found 'int'\n | ['a', 1]\n | ......^",
    ],
    [
      'object.',
      "ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^",
    ],
  ])('%s is an error', (text, expected) => {
    expect(typeOf(text)).toBe(expected)
  })

  it('is returned or rejected, for any text', () => {
    const tokens = 'thing .name .part [0] ( ) "x" 1 == && + has , { } ? : .nope() in !'.split(' ')
    const texts = fc.array(fc.constantFrom(...tokens), { maxLength: 10 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          texts.map((parts) => parts.join('')),
        ),
        (text) => {
          expect(typeOf(text)).not.toContain('another error')
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('an authorizer', () => {
  const requested: AuthorizationQuery[] = []
  const authorizer = new AuthorizerValue(
    (question) => {
      requested.push(question)
      return { allowed: question.verb === 'get', reason: 'so' }
    },
    { group: 'apps', resource: 'deployments', namespace: 'x', name: 'd' },
  )
  const evaluated = (text: string): unknown =>
    compileExpression(text, ['authorizer']).evaluate({ authorizer }, newBudget())

  it.each([
    [
      "authorizer.group('').resource('pods').subresource('log').namespace('n').name('p').check('get').allowed()",
      true,
      { group: '', resource: 'pods', subresource: 'log', namespace: 'n', name: 'p', verb: 'get' },
    ],
    [
      "authorizer.path('/healthz').check('put').allowed()",
      false,
      { path: '/healthz', verb: 'put' },
    ],
    [
      "authorizer.requestResource.check('get').reason()",
      'so',
      { group: 'apps', resource: 'deployments', namespace: 'x', name: 'd', verb: 'get' },
    ],
    [
      "authorizer.serviceAccount('n', 's').group('').resource('pods').check('get').errored()",
      false,
      { serviceAccount: { namespace: 'n', name: 's' }, group: '', resource: 'pods', verb: 'get' },
    ],
    ["authorizer.path('/a').check('get').error()", '', { path: '/a', verb: 'get' }],
  ])('%s', (text, expected, question) => {
    requested.length = 0
    expect(evaluated(text)).toBe(expected)
    expect(requested).toEqual([question])
  })
})
