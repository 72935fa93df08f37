import { describe, expect, expectTypeOf, it } from 'vitest'
import type { TypeOf } from './schema.ts'
import {
  anything,
  array,
  boolean,
  bytes,
  embedded,
  integer,
  intOrString,
  knownAs,
  map,
  nullable,
  object,
  oneOf,
  rule,
  string,
  timestamp,
} from './schema.ts'

const pet = object(
  'A pet.',
  {
    name: string('What it is called.', { minLength: 1, maxLength: 20, pattern: '^[A-Z]' }),
    legs: integer('How many.', { minimum: 0, maximum: 1000 }),
    tame: boolean('Whether it bites.'),
    size: oneOf('How big.', ['small', 'large'], { default: 'small' }),
    owner: nullable(object('Who feeds it.', { since: timestamp('Since when.') })),
    toys: array('What it plays with.', string('A toy.'), { set: true, maxItems: 3 }),
    tags: map('Anything else.', intOrString('A value.')),
  },
  { required: ['name', 'size'], rules: [rule("self.name != 'Rex'", 'not another Rex')] },
)

describe('a schema', () => {
  it('determines the TypeScript type', () => {
    expectTypeOf<TypeOf<typeof pet>>().toEqualTypeOf<{
      name: string
      size: 'small' | 'large'
      legs?: number
      tame?: boolean
      owner?: { since?: string } | null
      toys?: string[]
      tags?: Record<string, number | string>
    }>()
    expect(pet.type).toBeUndefined()
  })

  it('determines the OpenAPI schema', () => {
    expect(pet.openapi).toEqual({
      description: 'A pet.',
      type: 'object',
      properties: {
        name: {
          description: 'What it is called.',
          type: 'string',
          minLength: 1,
          maxLength: 20,
          pattern: '^[A-Z]',
        },
        legs: {
          description: 'How many.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 1000,
        },
        tame: { description: 'Whether it bites.', type: 'boolean' },
        size: {
          description: 'How big.',
          type: 'string',
          enum: ['small', 'large'],
          default: 'small',
        },
        owner: {
          description: 'Who feeds it.',
          type: 'object',
          nullable: true,
          properties: {
            since: { description: 'Since when.', type: 'string', format: 'date-time' },
          },
        },
        toys: {
          description: 'What it plays with.',
          type: 'array',
          items: { description: 'A toy.', type: 'string' },
          'x-kubernetes-list-type': 'set',
          maxItems: 3,
        },
        tags: {
          description: 'Anything else.',
          type: 'object',
          additionalProperties: {
            description: 'A value.',
            anyOf: [{ type: 'integer' }, { type: 'string' }],
            'x-kubernetes-int-or-string': true,
          },
        },
      },
      required: ['name', 'size'],
      'x-kubernetes-validations': [{ rule: "self.name != 'Rex'", message: 'not another Rex' }],
    })
  })

  it('can require only declared fields', () => {
    const named = { name: string('A name.') }
    type Limits = NonNullable<Parameters<typeof object<typeof named, 'name'>>[2]>
    expectTypeOf<Limits['required']>().toEqualTypeOf<readonly 'name'[] | undefined>()
    expect(object('A pet.', named).openapi).not.toHaveProperty('required')
  })

  it('can default only to a declared value', () => {
    type Options = NonNullable<Parameters<typeof oneOf<'small' | 'large'>>[2]>
    expectTypeOf<Options['default']>().toEqualTypeOf<'small' | 'large' | undefined>()
    expect(oneOf('How big.', ['small', 'large']).openapi).not.toHaveProperty('default')
  })

  it('sets the list type: atomic unless the list has keys or is a set', () => {
    const item = object('An item.', { id: string('Its id.') }, { required: ['id'] })
    expect(array('Items.', item).openapi['x-kubernetes-list-type']).toBe('atomic')
    expect(array('Items.', item, { keys: ['id'] }).openapi).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
    })
  })

  it('sets the map type of an atomic object', () => {
    const selector = object('A selector.', { app: string('An app.') }, { atomic: true })
    expect(selector.openapi['x-kubernetes-map-type']).toBe('atomic')
  })

  it('preserves unknown fields', () => {
    const free = anything('Whatever.')
    expectTypeOf<TypeOf<typeof free>>().toEqualTypeOf<Record<string, unknown>>()
    expect(free.openapi).toEqual({
      description: 'Whatever.',
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    })
  })

  it('embeds objects of another kind', () => {
    const inner = embedded<{ spec: { size: number } }>('An object.')
    expectTypeOf<TypeOf<typeof inner>>().toEqualTypeOf<{ spec: { size: number } }>()
    expect(inner.openapi).toEqual({
      description: 'An object.',
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    })
  })

  it('can have a narrower TypeScript type', () => {
    const level = knownAs<'low' | 'high'>(string('A level.'))
    expectTypeOf<TypeOf<typeof level>>().toEqualTypeOf<'low' | 'high'>()
    expect(level.openapi).toEqual({ description: 'A level.', type: 'string' })
  })

  it('declares bytes as base64', () => {
    expect(bytes('A certificate.').openapi).toEqual({
      description: 'A certificate.',
      type: 'string',
      format: 'byte',
    })
  })

  it('passes optionalOldSelf to the rule', () => {
    expect(rule('self > 0', 'must be positive', { optionalOldSelf: true })).toEqual({
      rule: 'self > 0',
      message: 'must be positive',
      optionalOldSelf: true,
    })
  })
})
