import type { Probe } from './probe.ts'
import { listOf, object, open, specs, text, whole } from './probe.ts'

/** Validation of lists and objects; handling of unknown, absent and null fields. */
export const structureProbes: Readonly<Record<string, Probe>> = {
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
}
