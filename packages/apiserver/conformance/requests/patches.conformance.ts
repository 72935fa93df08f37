import { expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure, node } from '../support/objects.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

async function made(api: Api, namespace: string, data: Record<string, string>): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  await api.post(path, configMap('a', data))
  return `${path}/a`
}

conformance('patches', (on) => {
  it(
    'merge: null removes a field',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, { a: '1', b: '2' })
      const { code, body } = await api.patch(path, 'merge', { data: { a: null, c: '3' } })
      expect(code).toBe(200)
      expect(body['data']).toEqual({ b: '2', c: '3' })
    }),
  )

  it(
    'merge: an old resourceVersion is a conflict',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, {})
      const patch = { metadata: { resourceVersion: '1' }, data: { z: '1' } }
      const { body } = await api.patch(path, 'merge', patch)
      expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
      expect(body['message']).toMatch(/^Operation cannot be fulfilled on configmaps "a": /)
    }),
  )

  it(
    'merge: a missing object',
    on(async ({ api, namespace }) => {
      const { body } = await api.patch(
        `/api/v1/namespaces/${namespace}/configmaps/none`,
        'merge',
        {},
      )
      const details = { name: 'none', kind: 'configmaps' }
      expect(body).toEqual(failure(404, 'NotFound', 'configmaps "none" not found', details))
    }),
  )

  it(
    'merge: the name is immutable',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, {})
      const { code } = await api.patch(path, 'merge', { metadata: { name: 'b' } })
      expect(code).toBe(400)
    }),
  )

  it(
    'merge: invalid JSON',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, {})
      const { body } = await api.patch(path, 'merge', '{"data":')
      expect(body).toMatchObject({ code: 400, reason: 'BadRequest' })
    }),
  )

  it(
    'merge: strict field validation',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, {})
      const { body } = await api.patch(`${path}?fieldValidation=Strict`, 'merge', { dta: {} })
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
      expect(body['message']).toContain('strict decoding error: unknown field "dta"')
    }),
  )

  // The real server prints the whole patched object here.
  const complaint = /Invalid value: "(?:[^"\\]|\\.)*": (.*)$/s
  const unknownOrTwice = [
    [
      'merge',
      '{"dta":1,"metadata":{"bogus":1}}',
      ['unknown field "dta"', 'unknown field "metadata.bogus"'],
    ],
    [
      'merge',
      '{"data":{"a":"1","a":"2"},"data":{"b":"1"}}',
      ['duplicate field "data.a"', 'duplicate field "data"'],
    ],
    [
      'merge',
      '{"dta":1,"data":{"a":"1","a":"2"}}',
      ['duplicate field "data.a"', 'unknown field "dta"'],
    ],
    ['json', '[{"op":"add","path":"/dta","value":{}}]', ['unknown field "dta"']],
    [
      'json',
      '[{"op":"add","op":"add","path":"/data/x","value":"1"}]',
      ['json patch duplicate field "[0].op"'],
    ],
    [
      'json',
      '[{"op":"add","foo":1,"path":"/data/x","value":"1"}]',
      ['json patch unknown field "[0].foo"'],
    ],
    ['strategic', '{"dta":{}}', ['unknown field "dta"']],
    ['strategic', '{"data":{"a":"1","a":"2"}}', ['duplicate field "data.a"']],
  ] as const
  for (const [type, patch, reported] of unknownOrTwice) {
    it(
      `${type}: unknown or duplicate fields: ${patch}`,
      on(async ({ api, namespace }) => {
        const path = await made(api, namespace, { a: '1' })
        const strict = await api.patch(`${path}?fieldValidation=Strict`, type, patch)
        expect(strict.body).toMatchObject({ code: 422, reason: 'Invalid' })
        const message = String(strict.body['message'])
        expect(message).toMatch(/^ "" is invalid: patch: Invalid value: /)
        expect(complaint.exec(message)?.[1]).toBe(`strict decoding error: ${reported.join(', ')}`)
        const dry = `${path}?dryRun=All&fieldValidation`
        const warned = await api.patch(`${dry}=Warn`, type, patch)
        expect(warned.code).toBe(200)
        const lines = reported.map((text) => `299 - ${JSON.stringify(text)}`).join(', ')
        expect(warned.headers['warning']).toBe(lines)
        const ignored = await api.patch(`${dry}=Ignore`, type, patch)
        expect([ignored.code, ignored.headers['warning']]).toEqual([200, undefined])
      }),
    )
  }

  it(
    '422: values of wrong types',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, { a: '1' })
      const reported = async (
        type: 'merge' | 'json',
        patch: unknown,
      ): Promise<string | undefined> => {
        const { body } = await api.patch(path, type, patch)
        expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
        return complaint.exec(String(body['message']))?.[1]
      }
      const begin = 'json: cannot unmarshal'
      expect(await reported('merge', { data: [1] })).toBe(
        `${begin} array into Go struct field ConfigMap.data of type map[string]string`,
      )
      expect(await reported('merge', { metadata: { labels: { a: 1 } } })).toBe(
        `${begin} number into Go struct field ObjectMeta.metadata.labels of type string`,
      )
      expect(await reported('json', [{ op: 'add', path: '/immutable', value: 'x' }])).toBe(
        `${begin} string into Go struct field ConfigMap.immutable of type bool`,
      )
    }),
  )

  it(
    'json: operations in order',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, { a: '1', b: '2' })
      const { code, body } = await api.patch(path, 'json', [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'replace', path: '/data/a', value: '9' },
        { op: 'remove', path: '/data/b' },
        { op: 'add', path: '/metadata/labels', value: {} },
        { op: 'add', path: '/metadata/labels/x~1y', value: 'z' },
        { op: 'copy', from: '/data/a', path: '/data/c' },
        { op: 'move', from: '/data/c', path: '/data/d' },
      ])
      expect(code).toBe(200)
      expect(body['data']).toEqual({ a: '9', d: '9' })
      expect(body.metadata.labels).toEqual({ 'x/y': 'z' })
    }),
  )

  it(
    'json: a failing test changes nothing',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, { a: '1' })
      const { body } = await api.patch(path, 'json', [
        { op: 'replace', path: '/data/a', value: '9' },
        { op: 'test', path: '/data/a', value: '1' },
      ])
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
      expect((await api.get(path)).body['data']).toEqual({ a: '1' })
    }),
  )

  it(
    'json: a missing path',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, { a: '1' })
      const { body } = await api.patch(path, 'json', [{ op: 'remove', path: '/data/zz' }])
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
      expect(body['message']).toMatch(
        /^the server rejected our request due to an error in our request/,
      )
    }),
  )

  it(
    'strategic: lists are merged by key',
    on(async ({ api, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      const path = `/api/v1/nodes/${unique}/status`
      const conditions = async (...patch: object[]): Promise<unknown> => {
        const { body } = await api.patch(path, 'strategic', { status: { conditions: patch } })
        const list = body.status['conditions'] as { type: string; status: string }[]
        return list.map(({ type, status }) => `${type}=${status}`)
      }
      await conditions({ type: 'Ready', status: 'True' })
      expect(await conditions({ type: 'DiskPressure', status: 'False' })).toEqual([
        'DiskPressure=False',
        'Ready=True',
      ])
      expect(await conditions({ type: 'Ready', status: 'False' })).toEqual([
        'DiskPressure=False',
        'Ready=False',
      ])
      expect(await conditions({ type: 'Ready', $patch: 'delete' })).toEqual(['DiskPressure=False'])
    }),
  )

  it(
    'strategic: taints are replaced',
    on(async ({ api, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      const path = `/api/v1/nodes/${unique}`
      const taint = (key: string): object => ({ key, effect: 'NoSchedule' })
      await api.patch(path, 'strategic', { spec: { taints: [taint('a'), taint('b')] } })
      const { body } = await api.patch(path, 'strategic', { spec: { taints: [taint('c')] } })
      expect(body.spec['taints']).toEqual([taint('c')])
    }),
  )

  it(
    'strategic: finalizers are a set',
    on(async ({ api, namespace }) => {
      const path = await made(api, namespace, {})
      const finalizers = async (metadata: object): Promise<unknown> =>
        (await api.patch(path, 'strategic', { metadata })).body.metadata.finalizers
      await finalizers({ finalizers: ['example.org/a'] })
      expect(await finalizers({ finalizers: ['example.org/b'] })).toEqual([
        'example.org/b',
        'example.org/a',
      ])
      expect(
        await finalizers({ '$deleteFromPrimitiveList/finalizers': ['example.org/a'] }),
      ).toEqual(['example.org/b'])
    }),
  )

  it(
    'strategic: 415 for custom resources',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const { body } = await api.patch(`${path}/w`, 'strategic', { spec: { size: 2 } })
      expect(body).toEqual(
        failure(
          415,
          'UnsupportedMediaType',
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        ),
      )
    }),
  )

  it(
    'custom resources: merge patches replace lists',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w', { parts: ['a', 'b'] }))
      const merged = await api.patch(`${path}/w`, 'merge', { spec: { parts: ['c'] } })
      expect(merged.body.spec['parts']).toEqual(['c'])
      const added = await api.patch(`${path}/w`, 'json', [
        { op: 'add', path: '/spec/parts/-', value: 'd' },
      ])
      expect(added.body.spec['parts']).toEqual(['c', 'd'])
    }),
  )
})
