import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Api, Body } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { failure } from '../support/objects.ts'
import {
  serveWidgets,
  widget,
  widgetDefinition,
  widgetSpec,
  widgetVersion,
} from '../support/widgets.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

async function conditions(api: Api, definition: string): Promise<string[]> {
  const { body } = await api.get(definition)
  const list = (body.status?.['conditions'] ?? []) as { type: string; status: string }[]
  return list.map(({ type, status }) => `${type}=${status}`)
}

conformance('custom resources', (on) => {
  it(
    'a definition becomes established',
    on(async ({ api, namespace, unique }) => {
      const made = await api.post(definitions, widgetDefinition(unique))
      expect(made.code).toBe(201)
      expect(made.body.spec).toMatchObject({
        names: { listKind: 'WidgetList', singular: 'widget' },
        conversion: { strategy: 'None' },
      })
      const definition = `${definitions}/widgets.${unique}.example.org`
      await until('it is established', async () =>
        (await conditions(api, definition)).includes('Established=True'),
      )
      expect(await conditions(api, definition)).toEqual(['NamesAccepted=True', 'Established=True'])
      const { body } = await api.get(definition)
      expect(body.status).toMatchObject({
        acceptedNames: { plural: 'widgets', kind: 'Widget', listKind: 'WidgetList' },
        storedVersions: ['v1'],
      })
      const path = `/apis/${unique}.example.org/v1/namespaces/${namespace}/widgets`
      await until('it is served', async () => (await api.get(path)).code === 200)
      expect((await api.get(path)).body).toMatchObject({
        kind: 'WidgetList',
        apiVersion: `${unique}.example.org/v1`,
        items: [],
      })
    }),
  )

  it(
    '422: a CRD whose name does not match its spec',
    on(async ({ api, unique }) => {
      const definition = widgetDefinition(unique)
      const { body } = await api.post(definitions, {
        ...definition,
        metadata: { name: `gadgets.${unique}.example.org` },
      })
      expect(body).toMatchObject({ code: 422 })
      expect(body['message']).toContain(
        `metadata.name: Invalid value: "gadgets.${unique}.example.org": must be spec.names.plural+"."+spec.group`,
      )
    }),
  )

  it(
    'objects are defaulted and pruned',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const made = await api.post(path, {
        ...widget(unique, 'w', { colour: 'red', bogus: 1 }),
        more: 1,
      })
      expect(made.code).toBe(201)
      expect(made.body.spec).toEqual({ size: 3, colour: 'red' })
      expect(made.body).not.toHaveProperty('more')
      const items = (await api.get(path)).body.items
      expect(items[0]).toMatchObject({ kind: 'Widget', apiVersion: `${unique}.example.org/v1` })
    }),
  )

  it(
    '422: schema violations by field',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const { body } = await api.post(path, widget(unique, 'w', { size: 11, colour: 'green' }))
      expect(body).toMatchObject({
        code: 422,
        reason: 'Invalid',
        details: { name: 'w', group: `${unique}.example.org`, kind: 'Widget' },
      })
      expect((body['details'] as { causes: unknown[] }).causes).toEqual(
        expect.arrayContaining([
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 11: spec.size in body should be less than or equal to 10',
            field: 'spec.size',
          },
          {
            reason: 'FieldValueNotSupported',
            message: 'Unsupported value: "green": supported values: "red", "blue"',
            field: 'spec.colour',
          },
        ]),
      )
    }),
  )

  it(
    '422: CEL rules are not evaluated for wrong types',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const { body } = await api.post(path, widget(unique, 'w', { size: 'big' }))
      expect((body['details'] as { causes: unknown[] }).causes).toEqual([
        {
          reason: 'FieldValueTypeInvalid',
          message: 'Invalid value: "string": spec.size in body must be of type integer: "string"',
          field: 'spec.size',
        },
        {
          reason: 'FieldValueInvalid',
          message:
            'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
          field: '<nil>',
        },
      ])
    }),
  )

  it(
    '422: a CEL rule has its own message',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const { body } = await api.post(path, widget(unique, 'w', { few: 2, many: 1 }))
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          `Widget.${unique}.example.org "w" is invalid: spec: Invalid value: "object": few exceeds many`,
          {
            name: 'w',
            group: `${unique}.example.org`,
            kind: 'Widget',
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: 'Invalid value: "object": few exceeds many',
                field: 'spec',
              },
            ],
          },
        ),
      )
    }),
  )

  it(
    '400: unknown fields with strict field validation',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const { body } = await api.post(
        `${path}?fieldValidation=Strict`,
        widget(unique, 'w', { bogus: 1 }),
      )
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          `Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.bogus"`,
        ),
      )
    }),
  )

  it(
    'a table has the columns of the CRD',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w', { colour: 'red' }))
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      const { body } = await api.get(path, { accept })
      expect(body['columnDefinitions']).toEqual([
        {
          name: 'Name',
          type: 'string',
          format: 'name',
          description: expect.stringMatching(/^Name must be unique within a namespace\. /),
          priority: 0,
        },
        { name: 'Size', type: 'integer', format: '', description: 'How big it is.', priority: 0 },
        {
          name: 'Colour',
          type: 'string',
          format: '',
          description: 'Custom resource definition column (in JSONPath format): .spec.colour',
          priority: 1,
        },
      ])
      expect((body['rows'] as { cells: unknown[] }[])[0]?.cells).toEqual(['w', 3, 'red'])
    }),
  )

  it(
    'a schema can change',
    on(async ({ api, namespace, unique }) => {
      const { path, definition } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const properties = { ...widgetSpec.properties, weight: { type: 'integer', default: 7 } }
      const spec = { ...widgetSpec, properties }
      const changed = await api.patch(definition, 'merge', {
        spec: { versions: [widgetVersion(spec)] },
      })
      expect(changed.code).toBe(200)
      expect(changed.body.metadata.generation).toBe(2)
      await until('old objects have the new default', async () => {
        const { body } = await api.get(`${path}/w`)
        return body.spec?.['weight'] === 7
      })
      const patched = await api.patch(`${path}/w`, 'merge', { spec: { weight: 8 } })
      expect(patched.body.spec).toEqual({ size: 3, weight: 8 })
    }),
  )

  it(
    'two versions serve one object',
    on(async ({ api, namespace, unique }) => {
      const { path, definition } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const versions = [widgetVersion(widgetSpec), widgetVersion(widgetSpec, 'v2', false)]
      await api.patch(definition, 'merge', { spec: { versions } })
      const other = path.replace('/v1/', '/v2/')
      const seen = async (): Promise<Body> => (await api.get(`${other}/w`)).body
      await until('the second version is served', async () => (await seen()).kind === 'Widget')
      expect(await seen()).toMatchObject({
        apiVersion: `${unique}.example.org/v2`,
        spec: { size: 3 },
      })
    }),
  )

  it(
    'deleting a CRD deletes its objects',
    on(async ({ api, namespace, unique }) => {
      const { path, definition } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const ending = await api.delete(definition)
      expect(ending.body.metadata.finalizers).toEqual([
        'customresourcecleanup.apiextensions.k8s.io',
      ])
      await until('the definition is gone', async () => (await api.get(definition)).code === 404)
      await until('nothing is served', async () => (await api.get(path)).code === 404)
      await serveWidgets(api, unique, namespace)
      expect((await api.get(path)).body.items).toEqual([])
    }),
  )
})
