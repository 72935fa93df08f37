import { until } from '@machinist/testing/until'
import type { Api } from './api.ts'

/** A CRD whose group contains the unique part of the case. */
export function widgetDefinition(unique: string, spec: object = widgetSpec): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${unique}.example.org` },
    spec: {
      group: `${unique}.example.org`,
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', shortNames: [`w${unique}`] },
      versions: [widgetVersion(spec)],
    },
  }
}

export const widgetSpec = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
    colour: { type: 'string', enum: ['red', 'blue'] },
    parts: { type: 'array', items: { type: 'string' } },
    few: { type: 'integer' },
    many: { type: 'integer' },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.few) || !has(self.many) || self.few <= self.many',
      message: 'few exceeds many',
    },
  ],
}

export function widgetVersion(spec: object, name = 'v1', storage = true): object {
  return {
    name,
    served: true,
    storage,
    subresources: { status: {} },
    additionalPrinterColumns: [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How big it is.' },
      { name: 'Colour', type: 'string', jsonPath: '.spec.colour', priority: 1 },
    ],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description: 'A thing to try things with.',
        properties: {
          spec,
          status: { type: 'object', properties: { observed: { type: 'integer' } } },
        },
      },
    },
  }
}

export function widget(unique: string, name: string, spec: object = {}): object {
  return {
    apiVersion: `${unique}.example.org/v1`,
    kind: 'Widget',
    metadata: { name },
    spec,
  }
}

/** Defines widgets and waits until they can be written. */
export async function serveWidgets(
  api: Api,
  unique: string,
  namespace: string,
): Promise<{ path: string; definition: string }> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const made = await api.post(definitions, widgetDefinition(unique))
  if (made.code !== 201) throw new Error(`no widgets: ${made.text}`)
  const path = `/apis/${unique}.example.org/v1/namespaces/${namespace}/widgets`
  await until('widgets are served', async () => (await api.get(path)).code === 200)
  return { path, definition: `${definitions}/widgets.${unique}.example.org` }
}
