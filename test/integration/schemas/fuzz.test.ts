import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSchema } from '@machinist/apiserver/schema/compiled-schema'
import { examples } from '../api/examples.ts'
import { arbitraryObject } from './arbitrary-object.ts'
import { crdSchemas } from './crd-schemas.ts'

/** What the schema says of values, not rules of changes nor of embedded resources. */
const ofValues = new Set([
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueDuplicate',
])

describe.each([...crdSchemas()])('anything as a %s', (kind, source) => {
  const schema = compileSchema(source)
  const objects = arbitraryObject(source)
  const runs = { numRuns: 60 }
  const junk = fc.dictionary(fc.string(), fc.jsonValue())

  it('is pruned once and for all', () => {
    fc.assert(
      fc.property(fc.oneof(objects, junk), (object) => {
        const once = schema.prune(object)
        expect(schema.prune(once.object)).toEqual({ object: once.object, unknown: [] })
      }),
      runs,
    )
  })

  it('is defaulted once and for all', () => {
    fc.assert(
      fc.property(fc.oneof(objects, junk), (object) => {
        const once = schema.default(object)
        expect(schema.default(once)).toEqual(once)
      }),
      runs,
    )
  })

  it('gets causes with a reason, a field and a message, or none, and never an exception', () => {
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

  it('is not changed by being looked at', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const text = JSON.stringify(object)
        schema.validate(schema.default(schema.prune(object).object), object)
        expect(JSON.stringify(object)).toBe(text)
      }),
      runs,
    )
  })

  it('may stay as it is, whatever it is: only rules about the change can speak', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const reasons = schema.validate(object, object).map(({ reason }) => reason)
        expect(reasons.filter((reason) => ofValues.has(reason!))).toEqual([])
      }),
      runs,
    )
  })

  it('stays valid when it is pruned and defaulted', () => {
    const valid = examples().filter((one) => one.valid && one.states[0]!.kind === kind)
    expect(valid.length).toBeGreaterThan(0)
    for (const { states } of valid) {
      const object = schema.default(schema.prune({ ...states.at(-1) }).object)
      expect(schema.validate(object)).toEqual([])
      expect(schema.validate(schema.default(schema.prune(object).object), object)).toEqual([])
    }
  })
})
