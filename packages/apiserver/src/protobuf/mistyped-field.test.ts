import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageOfKind } from './messages.ts'
import { mistypedField } from './mistyped-field.ts'

// The conformance suite has the messages of a real kube-apiserver for a hundred bodies.
const reported = (apiVersion: string, kind: string, value: unknown): string | undefined =>
  mistypedField(messageOfKind(apiVersion, kind)!, value)

describe('a value of the wrong type', () => {
  it('is reported with the innermost struct and the whole path', () => {
    const containers = [{ env: [{ name: 'x', value: 1 }] }]
    const template = { spec: { containers } }
    expect(reported('apps/v1', 'Deployment', { spec: { template } })).toBe(
      'json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value of type string',
    )
  })

  it('is the first one, unless an invalid time or quantity ends the decoding', () => {
    expect(reported('v1', 'ConfigMap', { data: [1], immutable: 'x' })).toMatch(
      /ConfigMap\.data of type/,
    )
    expect(
      reported('v1', 'ConfigMap', {
        data: [1],
        metadata: { creationTimestamp: 5 },
        immutable: 'x',
      }),
    ).toMatch(/ObjectMeta\.metadata\.creationTimestamp of type string$/)
  })

  it('within a type with its own decoder is reported there', () => {
    const items = { properties: { a: { additionalProperties: { maximum: 'x' } } } }
    const openAPIV3Schema = { properties: { list: { items } } }
    const versions = [{ schema: { openAPIV3Schema } }]
    expect(
      reported('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { spec: { versions } }),
    ).toBe(
      'json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items of type float64',
    )
  })

  it('is never null, and never in an unknown field', () => {
    expect(reported('v1', 'Pod', { metadata: null, spec: { containers: [null] } })).toBeUndefined()
    expect(reported('v1', 'Pod', { spec: { bogus: [1], nodeName: null } })).toBeUndefined()
  })

  it('of any object is reported or not, and never throws', () => {
    const name = fc.constantFrom(
      ...'metadata spec status data containers ports labels taints env resources limits'.split(' '),
    )
    const { object } = fc.letrec((tie) => ({
      object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      value: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), tie('object'), tie('list')),
      list: fc.array(tie('value'), { maxLength: 2 }),
    }))
    fc.assert(
      fc.property(object, fc.constantFrom('Pod', 'Node', 'ConfigMap', 'Service'), (value, kind) => {
        const problem = reported('v1', kind, value)
        expect(problem ?? 'json: ').toMatch(/^(?:json: |illegal |quantities |unable |parsing )/)
      }),
      { numRuns: 500 },
    )
  })
})
