import { expect, it } from 'vitest'
import type { Api, Body } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import { stuckWatch } from '../support/stuck-watch.ts'
import { brief } from '../support/watching.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const initial = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'

async function two(api: Api, namespace: string): Promise<{ path: string; version: string }> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  await api.post(path, configMap('a', {}, { labels: { colour: 'red' } }))
  const { body } = await api.post(path, configMap('b', {}, { labels: { colour: 'blue' } }))
  return { path, version: body.metadata.resourceVersion ?? '' }
}

conformance('watches', (on) => {
  it(
    'from a list: all later changes, in order',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`)
      expect(watch.code).toBe(200)
      expect(watch.contentType).toBe('application/json')
      await api.post(path, configMap('c'))
      const changed = await api.put(`${path}/a`, configMap('a', { x: '1' }))
      await api.delete(`${path}/b`)
      const events = await watch.take(3)
      watch.close()
      expect(brief(events)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b'])
      expect(events[1]?.object).toEqual(changed.body)
      expect(events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' })
    }),
  )

  it(
    'a deletion has the last state and its own revision',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`)
      await api.delete(`${path}/a`)
      const [event] = await watch.take(1)
      watch.close()
      expect(event?.object.metadata.labels).toEqual({ colour: 'red' })
      expect(Number(event?.object.metadata.resourceVersion)).toBeGreaterThan(Number(version))
    }),
  )

  it(
    'without a version: existing objects, then changes',
    on(async ({ api, namespace }) => {
      const { path } = await two(api, namespace)
      const watch = await api.watch(`${path}?watch=true`)
      expect(brief(await watch.take(2)).sort()).toEqual(['ADDED a', 'ADDED b'])
      await api.post(path, configMap('c'))
      expect(brief(await watch.take(1))).toEqual(['ADDED c'])
      watch.close()
    }),
  )

  it(
    'a selector: objects that start to match are added, others deleted',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const query = `watch=true&resourceVersion=${version}&labelSelector=colour%3Dred`
      const watch = await api.watch(`${path}?${query}`)
      const paint = (name: string, colour: string): Promise<unknown> =>
        api.patch(`${path}/${name}`, 'merge', { metadata: { labels: { colour } } })
      await paint('b', 'red')
      await paint('a', 'blue')
      await paint('a', 'green')
      await api.put(`${path}/b`, configMap('b', { x: '1' }, { labels: { colour: 'red' } }))
      expect(brief(await watch.take(3))).toEqual(['ADDED b', 'DELETED a', 'MODIFIED b'])
      watch.close()
    }),
  )

  it(
    'a single object by name',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const query = `watch=true&resourceVersion=${version}&fieldSelector=metadata.name%3Db`
      const watch = await api.watch(`${path}?${query}`)
      await api.delete(`${path}/a`)
      await api.delete(`${path}/b`)
      expect(brief(await watch.take(1))).toEqual(['DELETED b'])
      watch.close()
    }),
  )

  it(
    'initial events end with an annotated bookmark',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const query =
        'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
      const watch = await api.watch(`${path}?${query}`)
      const events = await watch.take(3)
      expect(brief(events.slice(0, 2)).sort()).toEqual(['ADDED a', 'ADDED b'])
      const { type, object } = events[2]!
      expect(type).toBe('BOOKMARK')
      expect(object).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
      })
      expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version))
      await api.post(path, configMap('c'))
      expect(brief(await watch.take(1))).toEqual(['ADDED c'])
      watch.close()
    }),
  )

  it(
    'initial events: the bookmark has the exact bytes of kube-apiserver',
    on(async ({ api, namespace }) => {
      const { path } = await two(api, namespace)
      const marks = async (accept: string, query = ''): Promise<[number, Body | undefined]> => {
        const watch = await api.watch(`${path}?${initial}&allowWatchBookmarks=true${query}`, {
          accept,
        })
        for (let seen = 1; ; seen++) {
          const event = await watch.next()
          if (event?.type === 'ADDED') continue
          watch.close()
          return [seen - 1, event?.object]
        }
      }
      const blueprint = (list: object): string =>
        Buffer.from(`${JSON.stringify(list)}\n`).toString('base64')
      const mark = (of: object, list: object): object => ({
        ...of,
        metadata: {
          resourceVersion: expect.stringMatching(/^\d+$/),
          creationTimestamp: null,
          annotations: {
            'k8s.io/initial-events-end': 'true',
            'kubernetes.io/initial-events-list-blueprint': blueprint(list),
          },
        },
      })
      const plain = mark(
        { kind: 'ConfigMap', apiVersion: 'v1' },
        { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: null },
      )
      expect(await marks('application/json')).toEqual([2, plain])
      expect(await marks('application/json', '&resourceVersion=0')).toEqual([2, plain])
      expect(await marks('application/json', '&resourceVersion=1')).toEqual([2, plain])
      expect(await marks('application/json', '&labelSelector=colour%3Dgreen')).toEqual([0, plain])
      const apiVersion = 'meta.k8s.io/v1'
      expect(await marks('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')).toEqual([
        2,
        mark(
          { kind: 'PartialObjectMetadata', apiVersion },
          { kind: 'PartialObjectMetadataList', apiVersion, metadata: {}, items: null },
        ),
      ])
    }),
  )

  it(
    'initial events without bookmarks have no end mark',
    on(async ({ api, namespace }) => {
      const { path } = await two(api, namespace)
      const watch = await api.watch(`${path}?${initial}`)
      expect(brief(await watch.take(2)).sort()).toEqual(['ADDED a', 'ADDED b'])
      await api.post(path, configMap('c'))
      expect(brief(await watch.take(1))).toEqual(['ADDED c'])
      watch.close()
    }),
  )

  it(
    'initial events can be disabled',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const declined = 'watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan'
      const watch = await api.watch(`${path}?${declined}&resourceVersion=${version}`)
      await api.post(path, configMap('c'))
      expect(brief(await watch.take(1))).toEqual(['ADDED c'])
      watch.close()
    }),
  )

  it(
    'initial events of custom resources',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const watch = await api.watch(`${path}?${initial}&allowWatchBookmarks=true`)
      const [added, mark] = await watch.take(2)
      watch.close()
      expect(brief([added!])).toEqual(['ADDED w'])
      const { annotations = {} } = mark?.object.metadata ?? {}
      expect(mark?.object).toEqual({
        kind: 'Widget',
        apiVersion: `${unique}.example.org/v1`,
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/), annotations },
      })
      const list = annotations['kubernetes.io/initial-events-list-blueprint'] ?? ''
      expect(JSON.parse(Buffer.from(list, 'base64').toString())).toEqual({
        apiVersion: `${unique}.example.org/v1`,
        items: [],
        kind: 'WidgetList',
      })
    }),
  )

  it(
    '504: initial events of a future version',
    on(async ({ api, namespace }) => {
      const { path } = await two(api, namespace)
      const query = `${initial}&allowWatchBookmarks=true&resourceVersion=99999999`
      const watch = await api.watch(`${path}?${query}`)
      expect(watch.code).toBe(200)
      expect(await watch.rest()).toEqual([
        {
          type: 'ERROR',
          object: {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: expect.stringMatching(
              /^Timeout: Too large resource version: 99999999, current: \d+$/,
            ),
            reason: 'Timeout',
            details: {
              causes: [
                { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
              ],
              retryAfterSeconds: 1,
            },
            code: 504,
          },
        },
      ])
    }),
  )

  it(
    '406: a table with initial events',
    on(async ({ api, namespace }) => {
      const { path } = await two(api, namespace)
      const marked = await api.get(`${path}?${initial}&allowWatchBookmarks=true`, { accept: table })
      expect(marked.body).toEqual(
        failure(
          406,
          'NotAcceptable',
          'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
        ),
      )
      const unmarked = await api.watch(`${path}?${initial}`, { accept: table })
      const events = await unmarked.take(2)
      unmarked.close()
      expect(events.map(({ object }) => object.kind)).toEqual(['Table', 'Table'])
    }),
  )

  it(
    '422: initial events without resourceVersionMatch',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { code, body } = await api.get(`${path}?watch=true&sendInitialEvents=true`)
      expect(code).toBe(422)
      expect(body['message']).toBe(
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      )
    }),
  )

  it(
    '410: an expired version is an ERROR event',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const watch = await api.watch(`${path}?watch=true&resourceVersion=1`)
      expect(watch.code).toBe(200)
      const events = await watch.rest()
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 },
      })
      expect(events[0]?.object['message']).toMatch(/^too old resource version: 1 \(\d+\)$/)
    }),
  )

  it(
    'end at their timeout',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const watch = await api.watch(
        `${path}?watch=true&resourceVersion=${version}&timeoutSeconds=1`,
      )
      expect(await watch.rest()).toEqual([])
    }),
  )

  it(
    'send a bookmark before their timeout',
    on(async ({ api, namespace, unique }) => {
      const { path, version } = await two(api, namespace)
      const query = `watch=true&resourceVersion=${version}&timeoutSeconds=5&allowWatchBookmarks=true`
      const watch = await api.watch(`${path}?${query}`)
      // Outside the watch's scope, but it increases the revision.
      const beside = await api.post('/api/v1/namespaces/default/configmaps', configMap(unique))
      const events = await watch.rest()
      expect(events.length).toBeGreaterThan(0)
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']))
      expect(Number(events.at(-1)?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
        Number(beside.body.metadata.resourceVersion),
      )
    }),
  )

  it(
    'a client that does not read is disconnected, and can read the end',
    on(async ({ api, target, namespace }) => {
      const { path, version } = await two(api, namespace)
      const query = `watch=true&resourceVersion=${version}&timeoutSeconds=600`
      const watch = await stuckWatch(target, `${path}?${query}`)
      const many = 160
      for (let i = 0; i < many; i++) {
        await api.post(path, configMap(`large-${i}`, { x: 'y'.repeat(200_000) }))
      }
      const text = await watch.rest()
      expect(text.slice(-7)).toBe('\r\n0\r\n\r\n')
      const seen = text.match(/"type":"ADDED"/g)?.length ?? 0
      expect(seen).toBeGreaterThan(0)
      expect(seen).toBeLessThan(many)
    }),
  )

  it(
    'as tables: only the first event has columns',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const query = `watch=true&resourceVersion=${version}`
      const watch = await api.watch(`${path}?${query}`, { accept: table })
      await api.post(path, configMap('c', { x: '1' }))
      await api.delete(`${path}/a`)
      const events = await watch.take(2)
      watch.close()
      expect(events.map(({ type, object }) => `${type} ${object.kind}`)).toEqual([
        'ADDED Table',
        'DELETED Table',
      ])
      const columns = events.map(({ object }) => object['columnDefinitions'] as unknown[] | null)
      expect(columns[0]).toHaveLength(3)
      expect(columns[1]).toBeNull()
      const rows = events[0]?.object['rows'] as { cells: unknown[]; object: Body }[]
      expect(rows[0]?.cells.slice(0, 2)).toEqual(['c', 1])
      expect(rows[0]?.object).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { name: 'c' },
      })
    }),
  )

  it(
    'as metadata only',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`, {
        accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      })
      await api.post(path, configMap('c', { x: '1' }))
      const [event] = await watch.take(1)
      watch.close()
      expect(event?.object).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { name: 'c' },
      })
      expect(event?.object).not.toHaveProperty('data')
    }),
  )

  it(
    'a dry run and a write without changes send no event',
    on(async ({ api, namespace }) => {
      const { path, version } = await two(api, namespace)
      const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`)
      await api.post(`${path}?dryRun=All`, configMap('dry'))
      await api.patch(`${path}/a`, 'merge', { metadata: { labels: { colour: 'red' } } })
      await api.post(path, configMap('last'))
      expect(brief(await watch.take(1))).toEqual(['ADDED last'])
      watch.close()
    }),
  )
})
