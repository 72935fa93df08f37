import type { Column, Kind } from '../schema/kind.ts'
import type { OpenApiSchema } from '../schema/schema.ts'
import { labels } from '../labels.ts'

export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string; labels: Record<string, string> }
  spec: {
    group: string
    names: {
      kind: string
      listKind: string
      plural: string
      singular: string
      shortNames?: readonly string[]
    }
    scope: 'Cluster' | 'Namespaced'
    versions: CustomResourceVersion[]
  }
}

interface CustomResourceVersion {
  name: string
  served: boolean
  storage: boolean
  subresources?: { status: Record<string, never> }
  additionalPrinterColumns?: PrinterColumn[]
  schema: { openAPIV3Schema: OpenApiSchema }
}

interface PrinterColumn {
  name: string
  type: string
  jsonPath: string
  priority?: number
}

/** The CustomResourceDefinition of a kind. */
export function customResourceDefinition(kind: Kind): CustomResourceDefinition {
  const { group, version, plural, namespaced, kind: name } = kind.resource
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { [labels.operatorManaged]: '' } },
    spec: {
      group,
      names: {
        kind: name,
        listKind: `${name}List`,
        plural,
        singular: name.toLowerCase(),
        ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(kind.status && { subresources: { status: {} } }),
          ...(kind.columns.length > 0 && {
            additionalPrinterColumns: kind.columns.map(printerColumn),
          }),
          schema: { openAPIV3Schema: rootSchema(kind) },
        },
      ],
    },
  }
}

function rootSchema(kind: Kind): OpenApiSchema {
  return {
    description: kind.description,
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: kind.spec.openapi,
      ...(kind.status && { status: kind.status.openapi }),
    },
    ...(kind.specRequired && { required: ['spec'] }),
    ...(kind.rules.length > 0 && { 'x-kubernetes-validations': kind.rules }),
  }
}

function printerColumn({ wide, ...column }: Column): PrinterColumn {
  return wide ? { ...column, priority: 1 } : column
}
