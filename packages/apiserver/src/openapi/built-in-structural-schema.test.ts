import { describe, expect, it } from 'vitest'
import { builtInStructuralSchema } from './built-in-structural-schema.ts'

describe('builtInStructuralSchema', () => {
  it('has the fields of a kind', () => {
    expect(builtInStructuralSchema('v1', 'ConfigMap')).toMatchObject({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object', properties: { name: { type: 'string', nullable: true } } },
        immutable: { type: 'boolean' },
        data: { type: 'object', additionalProperties: { type: 'string' } },
        binaryData: { additionalProperties: { type: 'string', format: 'byte' } },
      },
    })
  })

  it('includes lists and inlined messages', () => {
    const pod = builtInStructuralSchema('v1', 'Pod')!
    const spec = pod.properties!.spec!.properties!
    expect(spec.containers!.items!.properties!.ports!.items!.properties!.containerPort).toEqual({
      type: 'integer',
      format: 'int32',
      nullable: true,
    })
    expect(spec.volumes!.items!.properties!.emptyDir!.properties!.sizeLimit).toEqual({
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    })
    const probe = spec.containers!.items!.properties!.livenessProbe!.properties!
    expect(probe.httpGet!.properties!.port).toEqual({
      nullable: true,
      'x-kubernetes-int-or-string': true,
    })
  })

  it('requires no fields', () => {
    expect(JSON.stringify(builtInStructuralSchema('apps/v1', 'Deployment'))).not.toContain(
      '"required"',
    )
  })

  it('allows any schema inside a CRD', () => {
    const crd = builtInStructuralSchema('apiextensions.k8s.io/v1', 'CustomResourceDefinition')!
    const version = crd.properties!.spec!.properties!.versions!.items!.properties!
    expect(version.schema!.properties!.openAPIV3Schema).toEqual({
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    })
  })

  it('has the extra values of a user as lists', () => {
    const review = builtInStructuralSchema('authentication.k8s.io/v1', 'SelfSubjectReview')!
    const user = review.properties!.status!.properties!.userInfo!.properties!
    expect(user.extra!.additionalProperties).toMatchObject({
      type: 'array',
      items: { type: 'string' },
    })
  })

  it('is undefined for unknown kinds', () => {
    expect(builtInStructuralSchema('batch/v1', 'Job')).toBeUndefined()
  })
})
