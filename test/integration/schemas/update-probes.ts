import type { Probe } from './probe.ts'
import { listOf, object, ruled, text, whole } from './probe.ts'

/** Validation of updates. */
export const updateProbes: Readonly<Record<string, Probe>> = {
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
}
