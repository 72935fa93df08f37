import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newBudget } from './budget.ts'
import { dynamicValue } from './values.ts'
import { compileExpression, ExpressionError } from './cel.ts'

/** Evaluates over `self`, given as JSON. */
function evaluated(text: string, self: unknown = null): unknown {
  return compileExpression(text, ['self']).evaluate({ self: dynamicValue(self) }, newBudget())
}

function problem(run: () => unknown): string {
  try {
    return `no problem: ${String(run())}`
  } catch (error) {
    return error instanceof ExpressionError ? error.message : `another error: ${String(error)}`
  }
}

describe('expressions of admission policies', () => {
  const variables = ['object', 'oldObject', 'request', 'params', 'variables']

  it('have object, oldObject, request, params and variables', () => {
    const text =
      "object.spec.replicas <= params.most && request.operation == 'UPDATE' && variables.strict && oldObject == null"
    const context = {
      object: dynamicValue({ spec: { replicas: 3 } }),
      oldObject: null,
      request: dynamicValue({ operation: 'UPDATE' }),
      params: dynamicValue({ most: 5 }),
      variables: { strict: true },
    }
    expect(compileExpression(text, variables).evaluate(context, newBudget())).toBe(true)
  })

  it('report their variables and fields', () => {
    const expression = compileExpression('object.spec.a == 1 || has(oldObject.b)', variables)
    expect(expression.variables).toEqual(new Set(['object', 'oldObject']))
    expect(expression.selections.map(({ fields }) => fields.join('.')).toSorted()).toEqual([
      'b',
      'spec',
      'spec.a',
    ])
  })
})

describe('an expression that does not compile', () => {
  it.each([
    ['nope(self)', /^ERROR: <input>:1:5: undeclared reference to 'nope'/],
    ['self.semver()', /undeclared reference to 'semver'/],
    ['other == 1', /^ERROR: <input>:1:1: undeclared reference to 'other' \(in container ''\)/],
    ['self ==', /^ERROR: <input>:1:8: /],
    ['1 + "a" == 2', /^ERROR: <input>:1:/],
    ['', /^ERROR: <input>:1:1: /],
  ])('%s', (text, expected) => {
    expect(problem(() => compileExpression(text, ['self']))).toMatch(expected)
  })

  it('throws only ExpressionError, for any text', () => {
    const tokens = 'self .a [0] ( ) "x" 1 == && has all , { } ?'.split(' ')
    const words = fc.constantFrom(...tokens)
    const texts = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(problem(() => evaluated(text, { a: [1] }))).not.toContain('another error')
      }),
      { numRuns: 500 },
    )
  })
})

describe('an expression that fails', () => {
  it.each([
    ['self.a == 1', 'no such key: a'],
    ['self["b"] == 1', 'no such key: b'],
    ['[1][5] == 2', 'index out of bounds: 5'],
    ['1 / self.size() == 1', 'division by zero'],
    ['int("x") == 1', "type conversion error from 'string' to 'int'"],
    [
      'duration("x") > duration("1s")',
      "type conversion error from 'string' to 'google.protobuf.Duration'",
    ],
    ['"a".matches("(")', 'error parsing regexp: missing closing ): `(`'],
    ['quantity("many").isInteger()', /^quantities must match/],
    ['ip("1.2.3") == ip("1.2.3.4")', /^IP Address '1.2.3' parse error/],
    ['cidr("10.0.0.0") == cidr("10.0.0.0/8")', /^network address parse error/],
    ['url("::").getHost() == ""', /^URL parse error/],
    ['self.list.min() == 1', /no such key: list/],
    ['[].min() == 1', 'min called on empty list'],
  ])('%s', (text, expected) => {
    expect(problem(() => evaluated(text, {}))).toMatch(expected)
  })
})

describe('loops', () => {
  const many = { list: Array.from({ length: 2000 }, (_, i) => i) }
  const spent =
    'validation failed due to running out of cost budget, no further validation rules will be run'

  it.each([
    'self.list.all(x, self.list.all(y, x == y || x != y))',
    '!self.list.exists(x, self.list.exists(y, x + y < 0))',
    'self.list.map(x, self.list.filter(y, y == x)).size() == 2000',
    'self.list.all(x, self.list.exists_one(y, x == y))',
    '[self.list.map(x, x)].all(l, l.all(a, l.all(b, true)))',
  ])('stop when their budget is exhausted: %s', (text) => {
    expect(problem(() => evaluated(text, many))).toBe(spent)
  })

  it('share their budget with the next expression', () => {
    const budget = { steps: 3000 }
    const expression = compileExpression('self.list.all(x, x >= 0)', ['self'])
    const context = { self: dynamicValue(many) }
    expect(expression.evaluate(context, budget)).toBe(true)
    expect(budget.steps).toBeLessThanOrEqual(1000)
    expect(problem(() => expression.evaluate(context, budget))).toBe(spent)
    expect(expression.evaluate(context, newBudget())).toBe(true)
  })
})

describe('the library', () => {
  it.each([
    '["a", "b"].join("-") == "a-b"',
    'has(self.list[0].a) && !has(self.list[0].b)',
    '"ABC".matches("(?i)^abc$") && "a.b".matches("^a[.]b\\\\z")',
    '"aXbX".replace("X", "-", 1) == "a-bX" && "$&".replace("$", "$$") == "$$&"',
    '"%d of %s, %.2f, %x".format([1, [2, "b"], 1.5, 255]) == "1 of [2, b], 1.50, ff"',
    '[1.5, 2.5].sum() == 4.0 && ["b", "a"].max() == "b" && !["b", "a"].isSorted()',
    'sets.equivalent([[1], [2]], [[2], [1]]) && !sets.intersects([1], [2])',
    'quantity("0.5").compareTo(quantity("500m")) == 0 && quantity("1e3") == quantity("1k")',
    '!isQuantity("1.2.3") && !isQuantity("") && isQuantity("-.5Ki") && !isQuantity(".")',
    'ip("::ffff") == ip("0:0:0:0:0:0:0:ffff") && string(ip("2001:DB8::1")) == "2001:db8::1"',
    '!isIP("fe80::1%eth0") && ip("fe80::1").isLinkLocalUnicast() && ip("0.0.0.0").isUnspecified()',
    'cidr("fd00::/8").containsIP(ip("fd12::1")) && !cidr("10.0.0.0/8").containsIP("fd12::1")',
    'string(cidr("10.1.2.3/8").masked()) == "10.0.0.0/8" && !isCIDR("10.0.0.0/33")',
    'url("http://[::1]:80/").getHostname() == "::1" && url("/path?x=1").getScheme() == ""',
    'format.qualifiedName().validate("a.b/c_d").hasValue() == false && format.labelValue().validate("").hasValue() == false',
    'format.dns1123LabelPrefix().validate("a-").hasValue() == false && format.dns1123Label().validate("a-").hasValue()',
    'timestamp(timestamp("2024-01-01T00:00:00Z")) == timestamp("2024-01-01T00:00:00Z")',
  ])('%s', (text) => {
    expect(evaluated(text, { list: [{ a: 1 }] })).toBe(true)
  })

  it('treats keys like __proto__ as data', () => {
    const self = JSON.parse('{"__proto__": {"a": 1}}') as unknown
    expect(evaluated('"__proto__" in self && !("constructor" in self)', self)).toBe(true)
    expect(problem(() => evaluated('self.constructor == 1', {}))).toBe('no such key: constructor')
  })
})
