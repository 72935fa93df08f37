import { expect, it } from 'vitest'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { openApiDocument, openApiPath } from '../../src/openapi/document.ts'
import type { OpenApiDocument } from '../../src/openapi/document.ts'
import type { OpenApiSchema } from '../../src/openapi/schema.ts'
import { forward } from './forward.ts'
import { builtInKinds } from './served.ts'

describeOnRealCluster('OpenAPI documents beside those of a real kube-apiserver', (cluster) => {
  const groups = [...Map.groupBy(builtInKinds, openApiPath)]

  it.each(groups)('%s has the same fields of the same types', async (path, kinds) => {
    const requested = { method: 'GET', path: `/openapi/v3/${path}`, headers: {}, body: Buffer.of() }
    const { body } = await forward(cluster, requested)
    const real = (JSON.parse(body.toString()) as OpenApiDocument).components.schemas
    const ours = openApiDocument(kinds).components.schemas
    expect(Object.keys(ours).filter((name) => !real[name])).toEqual([])
    for (const [name, schema] of Object.entries(ours)) {
      expect({ [name]: outline(schema) }).toEqual({ [name]: outline(real[name]!) })
    }
  })
})

/** The part that clients rely on: fields, their types, required fields. */
function outline(schema: OpenApiSchema): unknown {
  const { $ref, type, format, required, properties, items, additionalProperties } = schema
  const rest = {
    type,
    format,
    required: required?.toSorted(),
    kinds: schema['x-kubernetes-group-version-kind'],
    oneOf: schema.oneOf,
    properties: mapped(properties ?? {}, outline),
    items: items && outline(items),
    additionalProperties:
      typeof additionalProperties === 'object' ? outline(additionalProperties) : undefined,
  }
  return $ref ?? schema.allOf?.[0]?.$ref ?? rest
}

function mapped<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
