import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure, node } from '../support/objects.ts'
import { serveThings } from '../support/things.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

function applying(api: Api, path: string) {
  return (manager: string, object: object, more = ''): Promise<Answer> =>
    api.patch(`${path}?fieldManager=${manager}${more}`, 'apply', object)
}

conformance('server-side apply', (on) => {
  it(
    'creates an object and owns the applied fields',
    on(async ({ api, namespace }) => {
      const apply = applying(api, `/api/v1/namespaces/${namespace}/configmaps/a`)
      const made = await apply('one', configMap('a', { x: '1' }))
      expect(made.code).toBe(201)
      expect(made.body.metadata.managedFields).toEqual([
        {
          manager: 'one',
          operation: 'Apply',
          apiVersion: 'v1',
          time: expect.stringMatching(/Z$/),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:x': {} } },
        },
      ])
      const again = await apply('one', configMap('a', { x: '1' }))
      expect(again.code).toBe(200)
      expect(again.body).toEqual(made.body)
    }),
  )

  it(
    'removes fields that its manager no longer applies',
    on(async ({ api, namespace }) => {
      const apply = applying(api, `/api/v1/namespaces/${namespace}/configmaps/a`)
      await apply('one', configMap('a', { x: '1', y: '1' }))
      await apply('two', configMap('a', { z: '1' }))
      const { body } = await apply('one', configMap('a', { y: '1' }))
      expect(body['data']).toEqual({ y: '1', z: '1' })
    }),
  )

  it(
    '409: fields of other managers, unless forced',
    on(async ({ api, namespace }) => {
      const apply = applying(api, `/api/v1/namespaces/${namespace}/configmaps/a`)
      await apply('one', configMap('a', { x: '1' }))
      const rejected = await apply('two', configMap('a', { x: '2' }))
      expect(rejected.body).toEqual(
        failure(409, 'Conflict', 'Apply failed with 1 conflict: conflict with "one": .data.x', {
          causes: [
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
          ],
        }),
      )
      const forced = await apply('two', configMap('a', { x: '2' }), '&force=true')
      expect(forced.body['data']).toEqual({ x: '2' })
      const managers = forced.body.metadata.managedFields?.map(({ manager }) => manager)
      expect(managers).toEqual(['two'])
    }),
  )

  it(
    'equal values are shared',
    on(async ({ api, namespace }) => {
      const apply = applying(api, `/api/v1/namespaces/${namespace}/configmaps/a`)
      await apply('one', configMap('a', { x: '1' }))
      expect((await apply('two', configMap('a', { x: '1' }))).code).toBe(200)
      const { body } = await apply('one', configMap('a', {}))
      expect(body['data']).toEqual({ x: '1' })
    }),
  )

  it(
    '409: fields of updates are owned too',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(`${path}?fieldManager=writer`, configMap('a', { x: '1' }))
      const { body } = await applying(api, `${path}/a`)('one', configMap('a', { x: '2' }))
      expect(body['message']).toBe(
        'Apply failed with 1 conflict: conflict with "writer" using v1: .data.x',
      )
    }),
  )

  it(
    '400: requires a field manager',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps/a`
      const { code, body } = await api.patch(path, 'apply', configMap('a'))
      expect(code).toBe(422)
      expect(body['message']).toBe(
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      )
    }),
  )

  it(
    'accepts YAML',
    on(async ({ api, namespace }) => {
      const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n'
      const { code } = await api.patch(
        `/api/v1/namespaces/${namespace}/configmaps/a?fieldManager=one`,
        'apply',
        yaml,
      )
      expect(code).toBe(201)
    }),
  )

  it(
    'merges lists by key',
    on(async ({ api, unique }) => {
      const path = `/api/v1/nodes/${unique}`
      await api.post('/api/v1/nodes', node(unique))
      const apply = applying(api, `${path}/status`)
      const ready = (type: string): object => ({
        ...node(unique),
        status: { conditions: [{ type, status: 'True' }] },
      })
      await apply('one', ready('Ready'))
      await apply('two', ready('Spare'))
      const types = async (): Promise<string[]> => {
        const { body } = await api.get(path)
        return (body.status['conditions'] as { type: string }[]).map(({ type }) => type)
      }
      expect(await types()).toEqual(['Ready', 'Spare'])
      await apply('one', { ...node(unique), status: { conditions: [] } })
      expect(await types()).toEqual(['Spare'])
    }),
  )

  it(
    'on custom resources',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const apply = applying(api, `${path}/w`)
      const made = await apply('one', widget(unique, 'w', { size: 1, parts: ['a'] }))
      expect(made.code).toBe(201)
      const rejected = await apply('two', widget(unique, 'w', { parts: ['b'] }))
      expect(rejected.body['message']).toBe(
        'Apply failed with 1 conflict: conflict with "one": .spec.parts',
      )
      const dropped = await apply('one', widget(unique, 'w', { parts: ['a'] }))
      // The default returns once no manager sets the field.
      expect(dropped.body.spec).toEqual({ size: 3, parts: ['a'] })
    }),
  )

  it(
    'lists of custom resources are merged by their schema',
    on(async (stage) => {
      const text = { type: 'string' }
      const list = (type: string, items: object, keys?: string[]): object => ({
        type: 'array',
        items,
        'x-kubernetes-list-type': type,
        ...(keys && { 'x-kubernetes-list-map-keys': keys }),
      })
      const port = {
        type: 'object',
        required: ['name'],
        properties: {
          name: text,
          protocol: { ...text, default: 'TCP' },
          number: { type: 'integer' },
        },
      }
      const map = { type: 'object', additionalProperties: text }
      const { path, thing } = await serveThings(stage, {
        set: list('set', text),
        ports: list('map', port, ['name', 'protocol']),
        atomic: list('atomic', text),
        map,
        atomicMap: { ...map, 'x-kubernetes-map-type': 'atomic' },
      })
      const apply = async (manager: string, spec: object, more = ''): Promise<unknown> => {
        const answer = await applying(stage.api, `${path}/t`)(manager, thing('t', spec), more)
        return answer.code < 300 ? answer.body.spec : answer.body['message']
      }
      await apply('one', {
        set: ['x', 'y'],
        ports: [
          { name: 'a', number: 1 },
          { name: 'b', number: 2 },
        ],
        atomic: ['1', '2'],
        map: { a: '1' },
        atomicMap: { a: '1' },
      })
      expect(
        await apply('two', {
          set: ['z', 'x'],
          ports: [
            { name: 'a', protocol: 'UDP', number: 3 },
            { name: 'a', number: 1 },
          ],
          map: { b: '2' },
        }),
      ).toEqual({
        set: ['z', 'x', 'y'],
        ports: [
          { name: 'a', protocol: 'UDP', number: 3 },
          { name: 'a', protocol: 'TCP', number: 1 },
          { name: 'b', protocol: 'TCP', number: 2 },
        ],
        atomic: ['1', '2'],
        map: { a: '1', b: '2' },
        atomicMap: { a: '1' },
      })
      const other = { atomic: ['3'], atomicMap: { b: '2' }, ports: [{ name: 'b', number: 9 }] }
      expect(await apply('two', other)).toBe(
        'Apply failed with 3 conflicts: conflicts with "one":\n- .spec.atomic\n- .spec.atomicMap\n- .spec.ports[name="b",protocol="TCP"].number',
      )
      expect(await apply('two', other, '&force=true')).toMatchObject({
        set: ['x', 'y'],
        ports: [
          { name: 'a', protocol: 'TCP', number: 1 },
          { name: 'b', protocol: 'TCP', number: 9 },
        ],
        atomic: ['3'],
        map: { a: '1' },
        atomicMap: { b: '2' },
      })
      const rejected = `failed to create typed patch object (/t; ${stage.unique}.example.org/v1, Kind=Thing): .spec`
      expect(await apply('one', { set: ['a', 'a'] })).toBe(
        `${rejected}.set: duplicate entries for key [="a"]`,
      )
      expect(await apply('one', { ports: [{ number: 1 }] })).toBe(
        `${rejected}.ports: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
      )
      expect(await apply('one', { ports: [{ name: 'a', number: 'x' }] })).toBe(
        `${rejected}.ports[name="a",protocol="TCP"].number: expected numeric (int or float), got string`,
      )
      expect(await apply('one', { bogus: 1 })).toBe(
        `${rejected}.bogus: field not declared in schema`,
      )
    }),
  )

  it(
    'a dry run stores nothing',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps/a`
      const dry = await applying(api, path)('one', configMap('a'), '&dryRun=All')
      expect(dry.code).toBe(201)
      expect((await api.get(path)).code).toBe(404)
    }),
  )
})
