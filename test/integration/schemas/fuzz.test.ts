import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSchema } from '@machinist/apiserver/schema/compiled-schema'
import { examples } from '../api/examples.ts'
import { arbitraryObject } from './arbitrary-object.ts'
import { crdSchemas } from './crd-schemas.ts'

/** Reasons of findings about values, as opposed to transition rules and embedded resources. */
const valueReasons = new Set([
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueDuplicate',
])

describe.each([...crdSchemas()])('arbitrary objects of kind %s', (kind, source) => {
  const schema = compileSchema(source)
  const objects = arbitraryObject(source)
  const runs = { numRuns: 60 }
  const junk = fc.dictionary(fc.string(), fc.jsonValue())

  it('are pruned idempotently', () => {
    fc.assert(
      fc.property(fc.oneof(objects, junk), (object) => {
        const once = schema.prune(object)
        expect(schema.prune(once.object)).toEqual({ object: once.object, unknown: [] })
      }),
      runs,
    )
  })

  it('are defaulted idempotently', () => {
    fc.assert(
      fc.property(fc.oneof(objects, junk), (object) => {
        const once = schema.default(object)
        expect(schema.default(once)).toEqual(once)
      }),
      runs,
    )
  })

  it('have causes with reason, field and message, and validation never throws', () => {
    fc.assert(
      fc.property(fc.oneof(objects, junk), fc.option(objects), (object, old) => {
        const causes = schema.validate(object, old ?? undefined)
        for (const cause of causes) {
          expect(cause).toEqual({
            reason: expect.stringMatching(/^FieldValue[A-Z]/) as string,
            field: expect.stringMatching(/./) as string,
            message: expect.stringMatching(/^[A-Z]/) as string,
          })
        }
      }),
      runs,
    )
  })

  it('are not modified by validation', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const text = JSON.stringify(object)
        schema.validate(schema.default(schema.prune(object).object), object)
        expect(JSON.stringify(object)).toBe(text)
      }),
      runs,
    )
  })

  it('may stay unchanged: only transition rules apply', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const reasons = schema.validate(object, object).map(({ reason }) => reason)
        expect(reasons.filter((reason) => valueReasons.has(reason!))).toEqual([])
      }),
      runs,
    )
  })

  it('stay valid after pruning and defaulting', () => {
    const valid = examples().filter((one) => one.valid && one.states[0]!.kind === kind)
    expect(valid.length).toBeGreaterThan(0)
    for (const { states } of valid) {
      const object = schema.default(schema.prune({ ...states.at(-1) }).object)
      expect(schema.validate(object)).toEqual([])
      expect(schema.validate(schema.default(schema.prune(object).object), object)).toEqual([])
    }
  })
})
