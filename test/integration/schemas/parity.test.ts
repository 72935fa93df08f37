import { describe, expect, it } from 'vitest'
import type { StatusCause } from '@machinist/apiserver/status/status-error'
import type { CompiledSchema } from '@machinist/apiserver/schema/compiled-schema'
import { compileSchema } from '@machinist/apiserver/schema/compiled-schema'
import { strictDecodingError } from '@machinist/apiserver/schema/prune'
import type { StructuralSchema } from '@machinist/apiserver/schema/structure/structural-schema'
import type { Example, ExampleObject } from '../api/examples.ts'
import { examples } from '../api/examples.ts'
import { crdSchemas } from './crd-schemas.ts'
import { probes } from './probes.ts'
import { recorded, sorted } from './recorded.ts'

type Content = Record<string, unknown>
const answers = recorded()

describe('validation of the CRDs agrees with kube-apiserver', () => {
  const schemas = new Map([...crdSchemas()].map(([kind, schema]) => [kind, compileSchema(schema)]))

  it.each(examples())('$file', (example) => {
    const { causes = [], at = '' } = answers.examples[example.file]!
    expect(submit(schemas.get(example.states[0]!.kind!)!, example)).toEqual({
      causes: sorted(causes),
      at,
    })
  })

  it.each(examples().filter(({ valid }) => !valid))('rejects $file', (example) => {
    const schema = schemas.get(example.states[0]!.kind!)!
    const { causes } = submit(schema, example)
    const { unknown } = schema.prune(example.states.at(-1)! as unknown as Content)
    const messages = [
      strictDecodingError(unknown.map((path) => ({ kind: 'unknown', path }))) ?? '',
      ...causes.map(({ field, message }) => `${field}: ${message}`),
    ]
    expect(messages.join('\n')).toContain(example.expect)
  })
})

describe.each(Object.entries(probes))('agrees with kube-apiserver: %s', (name, probe) => {
  const schema = compileSchema(probe.root ? probe.schema : wrapped(probe.schema))
  const before = probe.before ? compileSchema(wrapped(probe.before)) : schema
  const cases = (probe.objects ?? []).map((object, index) => ({
    object,
    index,
    answer: answers.probes[name]![index]!,
    text: JSON.stringify(object),
  }))
  it.each(cases)('$text', ({ object: { old, spec }, index, answer }) => {
    const metadata = { name: `probe-${index}` }
    const envelope = { apiVersion: 'probes.example.com/v1', kind: kindOf(name), metadata }
    const given = schema.prune({ ...envelope, ...(spec !== undefined && { spec }) })
    const object = schema.default(given.object)
    const previous = old === undefined ? undefined : before.default({ ...envelope, spec: old })
    const causes = schema.validate(object, previous)
    const problems = given.unknown.map((path) => ({ kind: 'unknown' as const, path }))
    expect({
      causes: sorted(causes),
      stored: answer.causes ? undefined : object['spec'],
      strict: strictDecodingError(problems),
    }).toEqual({
      causes: sorted(answer.causes ?? []),
      stored: answer.stored,
      strict: answer.strict?.replace(/^.*cannot be handled as a \w+: /, ''),
    })
  })
})

/** Submits the states of an example like ask-real-server.ts: the object, then its status. */
function submit(
  schema: CompiledSchema,
  { states }: Example,
): { causes: StatusCause[]; at: string } {
  let stored: Content | undefined
  for (const [index, state] of states.entries()) {
    const { status, ...main } = state as ExampleObject & Content
    const { status: oldStatus } = stored ?? {}
    const next = { ...stored, ...main, ...(oldStatus !== undefined && { status: oldStatus }) }
    const written = schema.default(schema.prune(next).object)
    const causes = schema.validate(written, stored)
    if (causes.length > 0) return { causes: sorted(causes), at: `${index}` }
    stored = written
    if (status === undefined) continue
    const reported = schema.default(schema.prune({ ...stored, status }).object)
    const wrong = schema.validate(reported, stored, { subresource: 'status' })
    if (wrong.length > 0) return { causes: sorted(wrong), at: `${index}/status` }
    stored = reported
  }
  return { causes: [], at: '' }
}

function wrapped(schema: StructuralSchema): StructuralSchema {
  return { type: 'object', properties: { spec: schema } }
}

function kindOf(name: string): string {
  const word = name.replaceAll(/[^a-z]/g, '')
  return word[0]!.toUpperCase() + word.slice(1)
}
