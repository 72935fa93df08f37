import type { StructuralSchema } from '../../../src/apiserver/schema/structural-schema.ts'

/** A schema with objects that show one behaviour. What kube-apiserver says to each is in recorded.json. */
export interface Probe {
  /** The schema of `spec`, or of the whole object where `root` says so. */
  readonly schema: StructuralSchema
  readonly root?: boolean
  /** The schema that held when the old objects were written, where it was another one. */
  readonly before?: StructuralSchema
  readonly objects?: readonly ProbeObject[]
}

export interface ProbeObject {
  /** What `spec` was before; an update then, not a creation. */
  readonly old?: unknown
  readonly spec: unknown
}

const text = { type: 'string', maxLength: 40 } as const
const whole = { type: 'integer' } as const
const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'object',
  properties,
})
const listOf = (items: StructuralSchema): StructuralSchema => ({ type: 'array', items })
const ruled = (schema: StructuralSchema, ...rules: string[]): StructuralSchema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
})
const specs = (...values: unknown[]): ProbeObject[] => values.map((spec) => ({ spec }))
const open: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

export const probes: Readonly<Record<string, Probe>> = {
  types: {
    schema: object({
      s: text,
      b: { type: 'boolean' },
      i: whole,
      n: { type: 'number' },
      a: listOf(text),
      o: object({}),
      m: { type: 'object', additionalProperties: whole },
    }),
    objects: specs(
      { s: 1, b: 'yes', i: 'x', n: 'y', a: 'z', o: 'o', m: 'm' },
      { s: true, b: 1, i: 1.5, n: true, a: {}, o: [], m: [] },
      { s: [], b: {}, i: true, n: [], a: 3, o: 4, m: { k: 'v', l: 1 } },
      { s: {}, b: [], i: {}, n: {}, a: [1, null, {}], o: true, m: null },
      { s: null, b: null, i: null, n: null, a: null, o: null },
      { s: 'x', b: true, i: 2, n: 2.5, a: ['x'], o: {}, m: { a: 1 } },
      { i: 1e20, n: 1e300 },
      { i: 2.0 },
      'text',
      [],
      7,
      null,
    ),
  },
  strings: {
    schema: object({
      short: { type: 'string', maxLength: 3 },
      long: { type: 'string', minLength: 3 },
      pattern: { type: 'string', pattern: '^[a-z]+$' },
      enum: { type: 'string', enum: ['a', 'b', ''] },
      both: { type: 'string', minLength: 2, pattern: '^a', enum: ['ab', 'ac'] },
    }),
    objects: specs(
      { short: 'abcd', long: 'ab', pattern: 'A1', enum: 'c', both: 'b' },
      { short: 'äöü', long: 'äö', pattern: '' },
      { short: '😀😀😀😀', long: '😀😀', enum: 'A "quoted" one', pattern: 'a"b\\c\n' },
      { short: 'abc', long: 'abc', pattern: 'abc', enum: '', both: 'ab' },
      { short: 'x'.repeat(300), pattern: 'X'.repeat(300), enum: 'y'.repeat(300) },
    ),
  },
  formats: {
    schema: object(
      Object.fromEntries(
        [
          'date-time',
          'date',
          'byte',
          'int32',
          'int64',
          'uuid',
          'uuid4',
          'uri',
          'email',
          'hostname',
          'ipv4',
          'ipv6',
          'cidr',
          'mac',
          'duration',
          'password',
          'unknown-format',
          'hexcolor',
          'bsonobjectid',
          'datetime',
        ].map((format) => [format.replace('-', ''), { type: 'string', format } as const]),
      ),
    ),
    objects: [
      '',
      'x',
      '2020-01-01T00:00:00Z',
      '2020-01-01',
      'aGk=',
      'aGk',
      '1.2.3.4',
      '::1',
      '10.0.0.0/8',
      '1h',
      'a@b.io',
      'http://a/b',
      '123e4567-e89b-12d3-a456-426614174000',
      '00:11:22:33:44:55',
      '2020-01-01t00:00:00.123+01:00',
      '2020-13-01T00:00:00Z',
      '2020-01-01T25:00:00Z',
      '2020-1-1T00:00:00Z',
      '2020-01-01T00:00:00',
      '2021-02-29',
      '3 days',
      '1 week',
      'example.com',
      '-bad-',
      '#fff',
    ].map((value) => ({
      spec: Object.fromEntries(
        [
          'datetime',
          'date',
          'byte',
          'uuid',
          'uuid4',
          'uri',
          'email',
          'hostname',
          'ipv4',
          'ipv6',
          'cidr',
          'mac',
          'duration',
          'password',
          'unknownformat',
          'hexcolor',
        ].map((field) => [field, value]),
      ),
    })),
  },
  numbers: {
    schema: object({
      min: { type: 'integer', minimum: 3 },
      max: { type: 'integer', maximum: 3 },
      above: { type: 'number', minimum: 1.5, exclusiveMinimum: true },
      below: { type: 'number', maximum: 2.5, exclusiveMaximum: true },
      many: { type: 'integer', multipleOf: 5 },
      i32: { type: 'integer', format: 'int32' },
      i64: { type: 'integer', format: 'int64' },
      f32: { type: 'number', format: 'float' },
      f64: { type: 'number', format: 'double' },
      odd: { type: 'integer', enum: [1, 3, 5] },
    }),
    objects: specs(
      { min: 2, max: 4, above: 1.5, below: 2.5, many: 7, i32: 3000000000, odd: 2 },
      {
        min: 3,
        max: 3,
        above: 1.6,
        below: 2.4,
        many: 10,
        i32: -2147483648,
        odd: 3,
        f32: 1,
        f64: 1,
      },
      { i32: -2147483649, i64: 9007199254740991, above: 1, below: 3, f32: 1e300, many: 0 },
      { min: -1000000, max: 1000000, above: 0.1, below: 1e21, i32: 1.5 },
    ),
  },
  lists: {
    schema: object({
      few: { type: 'array', maxItems: 2, items: text },
      some: { type: 'array', minItems: 2, items: text },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      numbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: whole },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name', 'port'],
        items: {
          type: 'object',
          properties: { name: text, port: { type: 'integer', default: 80 } },
          required: ['name'],
        },
      },
      atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: text },
      deep: listOf(
        object({ inner: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } }),
      ),
    }),
    objects: specs(
      { few: ['a', 'b', 'c'], some: ['a'], set: ['a', 'b', 'a', 'a'], numbers: [1, 2, 1] },
      {
        map: [{ name: 'a' }, { name: 'a', port: 80 }, { name: 'a', port: 81 }],
        atomic: ['a', 'a'],
      },
      { map: [{ port: 1 }, { port: 1 }], deep: [{}, { inner: ['x', 'x'] }] },
      { set: [1, 1], map: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      { few: [], some: [], set: [], map: [] },
      { few: ['a', 1, null], set: ['a', 'a', 3] },
    ),
  },
  objects: {
    schema: object({
      need: { type: 'object', properties: { a: text, b: whole }, required: ['a', 'b'] },
      few: { type: 'object', maxProperties: 1, additionalProperties: text },
      some: { type: 'object', minProperties: 1, additionalProperties: text },
      free: { type: 'object', additionalProperties: true },
      named: { type: 'object', additionalProperties: object({ x: whole }) },
      closed: object({ a: text }),
    }),
    objects: specs(
      { need: {}, few: { a: 'a', b: 'b' }, some: {} },
      { need: { a: null, b: null }, few: { a: 1 }, some: { k: 1, 'a.b/c': 2 } },
      { free: { a: 1, b: { c: null } }, named: { one: { x: 'x', y: 1 }, 'a.b': { x: 1.5 } } },
      { closed: { a: 'a', b: 1, c: { d: 1 } }, unknown: { deep: true }, zzz: 1 },
      { need: { b: 1 }, named: { one: null, two: {} } },
    ),
  },
  nullable: {
    schema: object({
      s: { type: 'string', nullable: true },
      o: { type: 'object', nullable: true, properties: { a: text }, required: ['a'] },
      l: { type: 'array', nullable: true, items: { type: 'string', nullable: true } },
      e: { type: 'string', nullable: true, enum: ['a'] },
      p: { type: 'string', nullable: true, pattern: '^a', minLength: 2 },
      m: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
      d: { type: 'string', nullable: true, default: 'x' },
      f: { type: 'string', default: 'x' },
      r: { type: 'object', nullable: true, properties: { q: { type: 'string', default: 'q' } } },
    }),
    objects: specs(
      { s: null, o: null, l: null, m: null, d: null, f: null, r: null },
      { e: null },
      { p: null },
      { l: [null, 'a'], m: { k: null } },
      { o: { a: null }, r: {} },
      {},
    ),
  },
  'int-or-string': {
    schema: object({
      plain: { 'x-kubernetes-int-or-string': true },
      any: {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        'x-kubernetes-int-or-string': true,
        pattern: '^[0-9]+%?$',
      },
      bounded: { 'x-kubernetes-int-or-string': true, maximum: 10, maxLength: 3 },
    }),
    objects: specs(
      { plain: 1, any: 2, bounded: 3 },
      { plain: '1', any: '10%', bounded: '10%' },
      { plain: true, any: true, bounded: {} },
      { plain: 1.5, any: 'x', bounded: 11 },
      { plain: [], any: [], bounded: 'long one' },
      { plain: null, any: null },
    ),
  },
  embedded: {
    schema: object({
      full: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      typed: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { spec: object({ a: whole }) },
      },
      list: listOf({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      }),
    }),
    objects: specs(
      { full: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', bogus: 1 }, anything: 1 } },
      { full: {}, typed: {}, list: [{}] },
      { full: { apiVersion: 'a/b/c', kind: 'no kind' }, typed: { apiVersion: '', kind: '' } },
      {
        typed: {
          apiVersion: 'v1',
          kind: 'X',
          metadata: { labels: { a: 'b' }, name: 'n' },
          spec: { a: 1, b: 2 },
          more: 1,
        },
      },
      { full: 'text', list: [1] },
    ),
  },
  preserve: {
    schema: {
      type: 'object',
      properties: {
        open: { ...open, properties: { known: object({ a: text }) } },
        nested: { ...open, properties: { list: listOf(object({ a: text })) } },
        map: { type: 'object', additionalProperties: object({ a: text }) },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    objects: specs(
      {
        open: { x: 1, known: { a: 'a', b: 1 } },
        nested: { list: [{ a: 'a', b: 2 }], y: [{ z: 1 }] },
        map: { k: { a: 'a', b: 3 } },
        gone: 1,
      },
      { any: 1 },
      { any: [1, { a: null }] },
      { any: { deep: { er: true } }, b: { c: { d: 1 } }, map: { k: { y: [], x: {} } } },
      { open: { known: 'text', x: null } },
    ),
  },
  combined: {
    schema: {
      type: 'object',
      properties: { a: text, b: text, c: whole, d: whole, e: text, f: text },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      oneOf: [{ required: ['c'] }, { required: ['d'] }],
      not: { required: ['e', 'f'] },
      allOf: [{ properties: { a: { minLength: 2 } } }, { properties: { c: { maximum: 5 } } }],
    },
    objects: specs(
      { a: 'aa', c: 1 },
      {},
      { a: 'a', c: 9 },
      { a: 'aa', c: 1, d: 1 },
      { b: 'b', d: 1, e: 'e', f: 'f' },
    ),
  },
  defaults: {
    schema: object({
      s: { type: 'string', default: 'x' },
      zero: { type: 'integer', default: 0 },
      no: { type: 'boolean', default: false },
      o: { type: 'object', default: {}, properties: { in: { type: 'string', default: 'in' } } },
      absent: object({ in: { type: 'string', default: 'in' } }),
      list: listOf({ type: 'object', properties: { d: { type: 'integer', default: 5 }, k: text } }),
      map: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { d: { type: 'integer', default: 5 } },
        },
      },
      words: { type: 'array', items: text, default: ['a', 'b'] },
      strings: { type: 'object', additionalProperties: { type: 'string', default: 'dd' } },
    }),
    objects: specs(
      {},
      { s: null, zero: null, no: null, o: null, words: null },
      {
        absent: {},
        list: [{}, { d: 1 }, { d: null, k: 'k' }],
        map: { a: {}, b: { d: null } },
        o: { in: null },
      },
      { list: [null], map: { a: null }, strings: { a: null, b: 'b' } },
      { s: 1, o: 'o' },
    ),
  },
  'a rule of each type': {
    schema: object({
      s: ruled(text, 'self == "ok"'),
      i: ruled(whole, 'self == 1'),
      n: ruled({ type: 'number' }, 'self == 1.5'),
      b: ruled({ type: 'boolean' }, 'self'),
      o: ruled(object({ a: text }), 'has(self.a)'),
      m: ruled({ type: 'object', additionalProperties: text }, '"a" in self'),
      l: ruled(listOf(text), 'size(self) == 1'),
      x: ruled({ 'x-kubernetes-int-or-string': true }, 'type(self) == int'),
      p: ruled(open, 'false'),
      t: ruled({ type: 'string', format: 'date-time' }, 'self < timestamp("2020-01-01T00:00:00Z")'),
      d: ruled({ type: 'string', format: 'duration' }, 'self < duration("1h")'),
      y: ruled({ type: 'string', format: 'byte' }, 'size(self) == 2'),
    }),
    objects: specs(
      { s: 'no', i: 2, n: 2.5, b: false, o: {}, m: {}, l: [], x: 'x', p: {} },
      {
        s: 'ok',
        i: 1,
        n: 1.5,
        b: true,
        o: { a: 'a' },
        m: { a: 'a' },
        l: ['x'],
        x: 1,
        t: '2019-01-01T00:00:00Z',
        d: '30m',
        y: 'aGk=',
      },
      { t: '2021-01-01T00:00:00Z', d: '2h', y: 'aGlqaw==' },
      { n: 2, m: { b: 'a', c: 'd' }, l: ['a', 'b'], o: { a: 'x' }, p: { a: 1 } },
      { s: 'no', i: 'wrong type' },
    ),
  },
  'messages of rules': {
    schema: {
      ...object({
        a: whole,
        b: object({ c: text }),
        plain: {
          ...whole,
          'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be positive' }],
        },
        expressed: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', messageExpression: '"got " + (self < 0 ? "less" : "zero")' },
          ],
        },
        fallback: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'plain', messageExpression: '"" + ["a"][self + 5]' },
          ],
        },
        blank: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'plain', messageExpression: '"  "' },
          ],
        },
        lines: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'plain', messageExpression: '"a\\nb"' },
          ],
        },
        forbidden: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueForbidden' },
          ],
        },
        required: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueRequired' },
          ],
        },
        duplicate: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueDuplicate' },
          ],
        },
        invalid: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueInvalid' },
          ],
        },
        none: { ...whole, 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
      }),
      'x-kubernetes-validations': [
        { rule: '!has(self.a) || self.a > 0', message: 'a is bad', fieldPath: '.a' },
        { rule: '!has(self.b) || self.b.c == "c"', message: 'c is bad', fieldPath: '.b.c' },
        {
          rule: '!has(self.a) || self.a != 0',
          message: 'missing',
          fieldPath: '.b.c',
          reason: 'FieldValueRequired',
        },
        { rule: 'self.a / 0 == 1', message: 'never' },
      ],
    },
    objects: specs(
      { a: 0, b: { c: 'd' } },
      {
        plain: 0,
        expressed: -3,
        fallback: 0,
        blank: 0,
        lines: 0,
        forbidden: 0,
        required: 0,
        duplicate: 0,
        invalid: 0,
        none: 0,

        text: 'x',
      },
    ),
  },
  'runtime errors of rules': {
    schema: object({
      index: ruled(listOf(text), 'self[3] == "a"'),
      key: ruled({ type: 'object', additionalProperties: text }, 'self["a"] == "a"'),
      absent: ruled(object({ a: text }), 'self.a == "a"'),
      divide: ruled(whole, '1 / self == 1'),
      convert: ruled(text, 'int(self) == 1'),
      overflow: ruled({ type: 'integer', format: 'int64' }, 'self + 9223372036854775807 > 0'),
      or: ruled(object({ a: text }), 'self.a == "a" || true'),
      stamp: ruled(text, 'timestamp(self) > timestamp("2020-01-01T00:00:00Z")'),
    }),
    objects: specs({
      index: [],
      key: {},
      absent: {},
      divide: 0,
      convert: 'x',
      overflow: 1,
      or: {},
      stamp: 'x',
    }),
  },
  transitions: {
    schema: {
      ...object({
        immutable: {
          ...text,
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }],
        },
        grows: ruled(whole, 'self >= oldSelf'),
        optional: {
          ...whole,
          'x-kubernetes-validations': [
            {
              rule: 'oldSelf.hasValue() || self == 1',
              optionalOldSelf: true,
              message: 'must begin at 1',
            },
          ],
        },
        map: {
          type: 'array',
          maxItems: 20,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            properties: { name: text, n: ruled(whole, 'self >= oldSelf') },
            required: ['name'],
          },
        },
        free: {
          type: 'object',
          maxProperties: 20,
          additionalProperties: ruled(whole, 'self >= oldSelf'),
        },
        set: {
          type: 'array',
          maxItems: 20,
          'x-kubernetes-list-type': 'set',
          items: text,
          'x-kubernetes-validations': [
            { rule: 'oldSelf.all(x, x in self)', message: 'must not shrink' },
          ],
        },
        list: {
          type: 'array',
          maxItems: 20,
          items: text,
          'x-kubernetes-validations': [{ rule: 'size(self) >= size(oldSelf)' }],
        },
      }),
      'x-kubernetes-validations': [
        {
          rule: 'has(self.immutable) == has(oldSelf.immutable)',
          message: 'immutable cannot come or go',
        },
      ],
    },
    objects: [
      { spec: { immutable: 'a', grows: 1, optional: 2 } },
      { spec: { immutable: 'a', grows: 1, optional: 1 } },
      { old: { immutable: 'a', grows: 2 }, spec: { immutable: 'b', grows: 1 } },
      { old: { grows: 2 }, spec: { immutable: 'b' } },
      { old: {}, spec: { grows: 1, optional: 5 } },
      { old: { optional: 1 }, spec: { optional: 5 } },
      {
        old: {
          map: [
            { name: 'a', n: 5 },
            { name: 'b', n: 5 },
          ],
        },
        spec: {
          map: [
            { name: 'b', n: 4 },
            { name: 'c', n: 1 },
            { name: 'a', n: 6 },
          ],
        },
      },
      { old: { free: { a: 5, 'b.c': 5 } }, spec: { free: { a: 4, d: 1, 'b.c': 3 } } },
      {
        old: { set: ['a', 'b'], list: ['a', 'b'] },
        spec: { set: ['b', 'c'], list: ['c'] },
      },
    ],
  },
  library: {
    schema: object(
      Object.fromEntries(
        [
          'self.lowerAscii() == "abc"',
          'self.upperAscii() == "ABC"',
          'self.trim() == "abc"',
          'self.replace("a", "b") == "bbc"',
          'self.split("") == ["a", "b", "c"]',
          'self.split("b", 1) == [self]',
          'self.charAt(0) == "a" && self.indexOf("c") == 2 && self.lastIndexOf("c") == 2',
          'self.substring(1) == "bc" && self.substring(0, 1) == "a"',
          'self.find("[b-z]+") == "bc"',
          'self.findAll("[a-z]") == ["a", "b", "c"] && self.findAll("[a-z]", 2) == ["a", "b"]',
          '[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [3, 1].max() == 3 && [1, 2].isSorted()',
          '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2',
          'sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1, 2])',
          'isURL("https://a.b:80/c?d=e") && url("https://a.b:80/c?d=e").getHost() == "a.b:80" && !isURL("::")',
          'url("https://a.b:80/c?d=e").getHostname() == "a.b" && url("https://a.b:80/c?d=e").getPort() == "80"',
          'url("https://a.b:80/c%20d?d=e").getEscapedPath() == "/c%20d" && url("https://a/?d=e&d=f").getQuery() == {"d": ["e", "f"]}',
          'isQuantity("1Gi") && !isQuantity("1 GB") && quantity("1Gi").compareTo(quantity("1024Mi")) == 0',
          'quantity("1500m").isGreaterThan(quantity("1")) && quantity("1k").asInteger() == 1000 && quantity("1").add(quantity("2")).asInteger() == 3',
          'quantity("1.5").asApproximateFloat() == 1.5 && sign(quantity("-3")) == -1 && !quantity("1.5").isInteger() && quantity("3").sub(1).isLessThan(quantity("2.5"))',
          'isIP("1.2.3.4") && isIP("::1") && !isIP("1.2.3") && ip("1.2.3.4").family() == 4 && ip("::1").isLoopback()',
          'ip.isCanonical("::1") && !ip.isCanonical("0::1") && ip("10.0.0.1").isGlobalUnicast() && ip("169.254.1.1").isLinkLocalUnicast()',
          'isCIDR("10.0.0.0/8") && cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")',
          'cidr("10.0.0.0/8").prefixLength() == 8 && cidr("10.1.0.0/8").masked() == cidr("10.0.0.0/8") && cidr("10.0.0.0/8").ip() == ip("10.0.0.0")',
          'format.dns1123Label().validate(self).hasValue() == false && format.dns1123Label().validate("A").hasValue()',
          'format.named("dns1123Label").hasValue() && !format.named("nope").hasValue()',
          'duration("90s").getMinutes() == 1 && timestamp("2020-01-02T03:04:05Z").getFullYear() == 2020',
          '"%s is %d".format([self, 5]) == "abc is 5"',
          'self.matches("^a.c$") && self.startsWith("a") && self.endsWith("c") && self.contains("b")',
          'type(1) == int && type("a") == string && dyn(1) == 1 && string(1) == "1" && int("1") == 1 && double(1) == 1.0',
          '[1, 2].exists_one(x, x == 1) && [1, 2].map(x, x * 2) == [2, 4] && [1, 2].filter(x, x > 1) == [2] && [1, 2].map(x, x > 1, x) == [2]',
          '{"a": 1}.all(k, k == "a") && "a" in {"a": 1} && 1 in [1, 2] && size({"a": 1}) == 1',
          'optional.of(1).hasValue() && optional.none().orValue(3) == 3 && {"a": 1}[?"b"].orValue(2) == 2',
          'b"abc" == bytes("abc") && 7u == uint(7) && 0x10 == 16 && -1 < 0 && 7 % 4 == 3 && true ? 1 < 2 : false',
          '"a" < "b" && self != "x" && !(self == "x") && r"\\d" == "\\\\d"',
          'format.dns1123Subdomain().validate("A.b").value().size() > 0 && format.uuid().validate("x").hasValue()',
          'strings.quote(self) == "\\"abc\\""',
        ].map((rule, index) => [
          `r${index}`,
          { ...text, 'x-kubernetes-validations': [{ rule: `self == "skip" || (${rule})` }] },
        ]),
      ),
    ),
    objects: specs(Object.fromEntries([...Array(40).keys()].map((index) => [`r${index}`, 'abc']))),
  },
  ratchet: {
    before: object({
      s: text,
      e: text,
      list: listOf(text),
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text, v: text }, required: ['k'] },
      },
      o: { type: 'object', properties: { a: text, b: text } },
      m: { type: 'object', additionalProperties: text },
      r: whole,
      t: whole,
      set: listOf(text),
      some: listOf(text),
    }),
    schema: object({
      s: { type: 'string', maxLength: 2 },
      e: { type: 'string', enum: ['a'] },
      list: listOf({ type: 'string', maxLength: 2 }),
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: {
          type: 'object',
          properties: { k: text, v: { type: 'string', maxLength: 2 } },
          required: ['k'],
        },
      },
      o: ruled(
        {
          type: 'object',
          properties: { a: { type: 'string', maxLength: 2 }, b: text, c: text },
          required: ['c'],
        },
        'self.a == self.b',
      ),
      m: { type: 'object', additionalProperties: { type: 'string', maxLength: 2 } },
      r: ruled(whole, 'self > 10'),
      t: ruled(whole, 'self > oldSelf'),
      set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      some: { type: 'array', items: text, maxItems: 1 },
    }),
    objects: [
      { old: { s: 'long', e: 'b' }, spec: { s: 'long', e: 'b', r: 11 } },
      { old: { s: 'long', e: 'b' }, spec: { s: 'longer', e: 'b' } },
      { old: { list: ['long', 'b'] }, spec: { list: ['long', 'b'], r: 11 } },
      { old: { list: ['long', 'b'] }, spec: { list: ['long', 'c'] } },
      {
        old: {
          map: [
            { k: 'a', v: 'long' },
            { k: 'b', v: 'long' },
          ],
        },
        spec: {
          map: [
            { k: 'b', v: 'long' },
            { k: 'a', v: 'longer' },
            { k: 'c', v: 'new one' },
          ],
        },
      },
      { old: { o: { a: 'long', b: 'x' } }, spec: { o: { a: 'long', b: 'x' }, r: 11 } },
      { old: { o: { a: 'long', b: 'x' } }, spec: { o: { a: 'long', b: 'y' } } },
      { old: { o: { a: 'long', b: 'x' } }, spec: { o: { a: 'long', b: 'y', c: 'c' } } },
      { old: { m: { a: 'long', b: 'b' } }, spec: { m: { a: 'long', b: 'longer' } } },
      { old: { r: 1, t: 1 }, spec: { r: 1, t: 1 } },
      { old: { r: 1, t: 1, s: 'x' }, spec: { r: 1, t: 1, s: 'y' } },
      { old: { r: 1 }, spec: { r: 2 } },
      {
        old: { set: ['a', 'a'], some: ['a', 'b'] },
        spec: { set: ['a', 'a'], some: ['a', 'b'], r: 11 },
      },
      {
        old: { set: ['a', 'a'], some: ['a', 'b'] },
        spec: { set: ['a', 'a', 'c'], some: ['a', 'c'] },
      },
    ],
  },
  root: {
    root: true,
    schema: {
      type: 'object',
      properties: {
        spec: object({ a: text }),
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 200 } } },
      },
      required: ['spec'],
      'x-kubernetes-validations': [
        { rule: 'self.metadata.name.startsWith("root")', message: 'name must start with root' },
        {
          rule: 'self.kind == "Root" && self.apiVersion == "probes.example.com/v1"',
          message: 'wrong kind',
        },
        { rule: 'self.spec.a == "a"', fieldPath: '.spec.a', message: 'a must be a' },
        { rule: 'size(self.metadata.generateName) == 0 || true' },
      ],
    },
    objects: specs({ a: 'a' }, { a: 'b' }, undefined, null, 7),
  },
  updates: {
    schema: object({
      s: { type: 'string', minLength: 3, pattern: '^a', enum: ['aaa', 'bbb'] },
      i: { type: 'integer', minimum: 3, enum: [4] },
      deep: object({
        s: { type: 'string', minLength: 3 },
        i: whole,
        list: listOf({ type: 'string', minLength: 2 }),
      }),
      few: {
        type: 'object',
        maxProperties: 1,
        additionalProperties: { type: 'string', minLength: 2 },
      },
      any: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
      all: { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^a' }] },
      one: { type: 'string', oneOf: [{ minLength: 2 }, { pattern: '^a' }], not: { enum: ['bb'] } },
      day: { type: 'string', format: 'date' },
    }),
    objects: [
      { old: {}, spec: { s: 'x', i: 1, deep: { s: 'x', i: 'x', list: ['x'] } } },
      { old: {}, spec: { few: { a: 'a', b: 'b' }, any: true, all: 'b', one: 'aaa', day: 'x' } },
      { old: { s: 'aaa' }, spec: { s: 'bbb', few: { a: 'a' }, any: [], all: 'bb', one: 'bb' } },
      { old: { deep: {} }, spec: { deep: { s: 'x', i: 'x', list: ['x'] }, all: 'ab', i: 'x' } },
      { spec: { few: { a: 'a', b: 'b' }, all: 'bb', one: 'b' } },
      { spec: { all: 'b', one: 'aaa', i: 'x', day: 1 } },
      { spec: { all: 'ab', one: 'bb', s: 7, day: '2020-02-30' } },
    ],
  },
  expressions: {
    schema: {
      ...object({
        list: { ...listOf(object({ a: text, n: whole })), maxItems: 5 },
        map: { type: 'object', maxProperties: 5, additionalProperties: whole },
        'my-field': text,
        'my.field': text,
        namespace: text,
        under__score: text,
        none: { type: 'string', nullable: true, maxLength: 5 },
        port: { 'x-kubernetes-int-or-string': true },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        ratio: { type: 'number' },
        on: { type: 'boolean' },
      }),
      'x-kubernetes-validations': [
        { rule: '!has(self.list) || has(self.list[0].a)', message: 'first needs a' },
        { rule: '!has(self.map) || self.map.all(k, self.map[k] > 1)', message: 'map is small' },
        { rule: '!has(self.map) || self.map.exists(k, k.startsWith("a"))', message: 'map needs a' },
        { rule: '!has(self.my__dash__field) || self.my__dash__field == "x"', message: 'dash' },
        { rule: '!has(self.my__dot__field) || self.my__dot__field == "x"', message: 'dot' },
        { rule: '!has(self.__namespace__) || self.__namespace__ == "x"', message: 'keyword' },
        {
          rule: '!has(self.under__underscores__score) || self.under__underscores__score == "x"',
          message: 'underscores',
        },
        { rule: '!has(self.none)', message: 'has none' },
        {
          rule: '!has(self.port) || (type(self.port) == int ? self.port > 0 : self.port.endsWith("%"))',
          message: 'port',
        },
        {
          rule: '!has(self.embedded) || self.embedded.metadata.name == "x"',
          message: 'embedded name',
        },
        { rule: '!has(self.embedded) || self.embedded.kind == "Pod"', message: 'embedded kind' },
        { rule: '!has(self.ratio) || self.ratio > 0.5 && self.ratio != 2.0', message: 'ratio' },
        { rule: '!has(self.on) || self.on', message: 'on' },
        {
          rule: '!has(self.list) || self.list.filter(x, has(x.n)).map(x, x.n).sum() < 10',
          message: 'sum',
        },
        {
          rule: '!has(self.list) || self.list.exists_one(x, x.a == "one")',
          message: 'exactly one',
        },
        { rule: 'self.?on.orValue(true) || self.?none.hasValue()', message: 'optional' },
      ],
    },
    objects: specs(
      {
        list: [{ n: 5 }, { a: 'one', n: 6 }],
        map: { b: 1 },
        'my-field': 'y',
        'my.field': 'y',
        namespace: 'y',
        under__score: 'y',
        none: 'y',
        port: 'y',
        ratio: 2,
        on: false,
      },
      {
        list: [{ a: 'one' }],
        map: { a: 2 },
        'my-field': 'x',
        'my.field': 'x',
        namespace: 'x',
        under__score: 'x',
        none: null,
        port: '5%',
        ratio: 0.75,
        on: true,
      },
      { port: 0, embedded: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'y' } } },
      { port: 1, embedded: { apiVersion: 'v1', kind: 'Pod', metadata: {} }, list: [] },
      { list: [{ a: 'one' }, { a: 'one' }, {}] },
    ),
  },
}
