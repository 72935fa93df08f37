import { until } from '@machinist/testing/until'
import type { Answer, Api } from './api.ts'

/** A kind whose spec each case defines. */
export interface Things {
  readonly path: string
  readonly definition: string
  readonly apiVersion: string
  readonly thing: (name: string, spec: unknown, rest?: object) => object
  /** Creates an object and returns the response. */
  readonly post: (name: string, spec: unknown, rest?: object) => Promise<Answer>
}

type Properties = Readonly<Record<string, object>>

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export function thingVersion(properties: Properties, more: object = {}): object {
  const spec = { type: 'object', properties }
  const status = {
    type: 'object',
    properties: {
      observed: { type: 'integer' },
      replicas: { type: 'integer' },
      selector: { type: 'string' },
    },
  }
  return {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    ...more,
  }
}

/** Creates the CRD and waits until it is served. */
export async function serveThings(
  { api, unique, namespace }: { api: Api; unique: string; namespace: string },
  properties: Properties,
  more: object = {},
): Promise<Things> {
  const group = `${unique}.example.org`
  const made = await api.post(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things' },
      versions: [thingVersion(properties, more)],
    },
  })
  if (made.code !== 201) throw new Error(`no things: ${made.text}`)
  const path = `/apis/${group}/v1/namespaces/${namespace}/things`
  await until('things are served', async () => (await api.get(path)).code === 200)
  const apiVersion = `${group}/v1`
  const thing = (name: string, spec: unknown, rest: object = {}): object => {
    return { apiVersion, kind: 'Thing', metadata: { name }, spec, ...rest }
  }
  return {
    path,
    definition: `${definitions}/things.${group}`,
    apiVersion,
    thing,
    post: (name, spec, rest) => api.post(path, thing(name, spec, rest)),
  }
}

/** The causes, without the note that rules were not evaluated; sorted, since the server's order varies. */
export function causesOf({ body }: Answer): string[] {
  const { causes = [] } = (body['details'] ?? {}) as {
    causes?: { field: string; message: string }[]
  }
  return causes
    .filter(({ field }) => field !== '<nil>')
    .map(({ field, message }) => `${field}: ${message}`)
    .sort()
}

/** The texts of the Warning header, sorted. */
export function warningsOf({ headers }: Answer): string[] {
  const lines = (headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)
  return Array.from(lines, ([, text]) => text!.replaceAll('\\"', '"')).sort()
}
