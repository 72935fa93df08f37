import { beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import { clientFrom, freshNamespace, kubectl } from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { until } from '@machinist/testing/until'
import type { KubeClient } from '../src/client/client.ts'
import { modify } from '../src/client/modify.ts'
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../src/failure.ts'
import { customResourceDefinitions } from '../src/kinds/apiextensions.ts'
import type { ConfigMap, NodeCondition } from '../src/kinds/core.ts'
import { configMaps, nodes, pods } from '../src/kinds/core.ts'
import { apply, ifUnchanged, jsonPatch, mergePatch, strategicPatch } from '../src/patch.ts'

interface Widget extends KubeObject {
  spec?: { size?: number; colour?: string; parts?: string[] }
  status?: { observed?: number }
}

const widgets = resource<Widget>({
  group: 'client.machinist.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})

const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.client.machinist.dev' },
  spec: {
    group: 'client.machinist.dev',
    scope: 'Namespaced' as const,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', maximum: 10 },
                  colour: { type: 'string' },
                  parts: { type: 'array', items: { type: 'string' } },
                },
              },
              status: { type: 'object', properties: { observed: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}

/** The error of a call that must fail. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.fail(`it worked: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )

describeOnRealCluster('the client against a real API server', (cluster) => {
  let client: KubeClient
  let namespace: string

  beforeAll(async () => {
    client = await clientFrom(cluster.kubeconfig)
    namespace = await freshNamespace(client)
    await client.create(customResourceDefinitions, widgetDefinition)
    await until('widgets are served', async () => {
      const { status } = await client.get(customResourceDefinitions, widgetDefinition.metadata)
      return (
        status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false
      )
    })
    // Established means that it will be served soon.
    await until('widgets answer', () =>
      client.list(widgets, { namespace }).then(
        () => true,
        () => false,
      ),
    )
  })

  const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  })
  const widget = (name: string, spec: Widget['spec'] = {}): Widget => ({
    apiVersion: 'client.machinist.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace },
    spec,
  })

  describe('verbs', () => {
    it('create, get, replace, remove', async () => {
      const made = await client.create(configMaps, configMap('crud', { a: '1' }))
      expect(made.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(await client.get(configMaps, { namespace, name: 'crud' })).toEqual(made)

      const changed = await client.replace(configMaps, { ...made, data: { a: '2' } })
      expect(changed.data).toEqual({ a: '2' })
      expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion)

      expect(await client.remove(configMaps, { namespace, name: 'crud' })).toBeUndefined()
      const failure = await failureOf(client.get(configMaps, { namespace, name: 'crud' }))
      expect(isNotFound(failure)).toBe(true)
      expect(String(failure)).toBe(
        `ApiFailure: GET /api/v1/namespaces/${namespace}/configmaps/crud: configmaps "crud" not found`,
      )
    })

    it('create with generateName', async () => {
      const { metadata } = await client.create(configMaps, {
        ...configMap(''),
        metadata: { generateName: 'many-', namespace } as ConfigMap['metadata'],
      })
      expect(metadata.name).toMatch(/^many-[a-z0-9]{5}$/)
    })

    it('reject a second object with the same name and a write with an old version', async () => {
      const made = await client.create(configMaps, configMap('twice'))
      expect(isAlreadyExists(await failureOf(client.create(configMaps, configMap('twice'))))).toBe(
        true,
      )
      await client.replace(configMaps, { ...made, data: { a: '1' } })
      const stale = await failureOf(client.replace(configMaps, { ...made, data: { a: '2' } }))
      expect(isConflict(stale)).toBe(true)
      expect(String(stale)).toContain(
        'the object has been modified; please apply your changes to the latest version and try again',
      )
    })

    it('change nothing in a dry run', async () => {
      const made = await client.create(configMaps, configMap('dry'), { dryRun: true })
      expect(made.metadata.uid).toBeDefined()
      expect(isNotFound(await failureOf(client.get(configMaps, { namespace, name: 'dry' })))).toBe(
        true,
      )
    })

    it('return a removed object while it has a finalizer', async () => {
      const held = configMap('held')
      held.metadata.finalizers = ['machinist.dev/hold']
      await client.create(configMaps, held)
      const leaving = await client.remove(configMaps, { namespace, name: 'held' })
      expect(leaving?.metadata.deletionTimestamp).toBeDefined()
      await client.patch(
        configMaps,
        { namespace, name: 'held' },
        mergePatch({ metadata: { finalizers: null } }),
      )
      expect(isNotFound(await failureOf(client.get(configMaps, { namespace, name: 'held' })))).toBe(
        true,
      )
    })

    it('remove only the object with the given UID', async () => {
      await client.create(configMaps, configMap('namesake'))
      const other = '00000000-0000-0000-0000-000000000000'
      const failure = await failureOf(
        client.remove(configMaps, { namespace, name: 'namesake' }, { uid: other }),
      )
      expect(isConflict(failure)).toBe(true)
      expect(await client.get(configMaps, { namespace, name: 'namesake' })).toBeDefined()
    })

    it('modify retries on conflicts', async () => {
      await client.create(configMaps, configMap('contended', { count: '0' }))
      const key = { namespace, name: 'contended' }
      const increment = (current: ConfigMap): ConfigMap => ({
        ...current,
        data: { count: String(Number(current.data?.['count']) + 1) },
      })
      await Promise.all(
        Array.from({ length: 8 }, () => modify(client, configMaps, key, increment, { tries: 50 })),
      )
      expect((await client.get(configMaps, key)).data).toEqual({ count: '8' })
    })

    it('report schema violations by field', async () => {
      const failure = await failureOf(client.create(widgets, widget('wrong', { size: 11 })))
      expect(isInvalid(failure)).toBe(true)
      expect(failure).toMatchObject({
        causes: [
          {
            reason: 'FieldValueInvalid',
            field: 'spec.size',
            message: 'Invalid value: 11: spec.size in body should be less than or equal to 10',
          },
        ],
      })
    })

    it('reject unknown fields with strict validation', async () => {
      const odd = { ...widget('odd'), spec: { bogus: 1 } as Widget['spec'] }
      const failure = await failureOf(client.create(widgets, odd, { fieldValidation: 'Strict' }))
      expect(failure).toMatchObject({ code: 400 })
      expect(String(failure)).toContain('unknown field "spec.bogus"')
      const made = await client.create(widgets, odd, { fieldValidation: 'Ignore' })
      expect(made.spec).toEqual({})
    })

    it('send raw requests', async () => {
      const answer = await client.raw({ method: 'GET', path: '/version' })
      expect(JSON.parse(Buffer.from(answer.body).toString())).toMatchObject({ major: '1' })
    })
  })

  describe('patches', () => {
    it('merge', async () => {
      await client.create(configMaps, configMap('merged', { a: '1', b: '2' }))
      const key = { namespace, name: 'merged' }
      const patched = await client.patch(configMaps, key, mergePatch({ data: { a: null, c: '3' } }))
      expect(patched.data).toEqual({ b: '2', c: '3' })
      const again = await client.patch(configMaps, key, mergePatch({ data: { c: '3' } }))
      expect(again.metadata.resourceVersion).toBe(patched.metadata.resourceVersion)
    })

    it('with JSON patch, only if the object is unchanged', async () => {
      const made = await client.create(configMaps, configMap('operated', { a: '1' }))
      const key = { namespace, name: 'operated' }
      const add = [{ op: 'add', path: '/data/b', value: '2' }] as const
      const patched = await client.patch(configMaps, key, jsonPatch(ifUnchanged(made, add)))
      expect(patched.data).toEqual({ a: '1', b: '2' })
      const stale = await failureOf(
        client.patch(configMaps, key, jsonPatch(ifUnchanged(made, add))),
      )
      expect(isInvalid(stale)).toBe(true)
    })

    it('strategically: conditions of a Node by type, taints as a list', async () => {
      const condition = (type: string, status: 'True' | 'False'): NodeCondition => ({
        type,
        status,
      })
      await client.create(nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'patched' },
        spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
        status: { conditions: [condition('Ready', 'False'), condition('DiskPressure', 'False')] },
      })
      const ready = strategicPatch({ status: { conditions: [condition('Ready', 'True')] } })
      const reported = await client.patch(nodes, { name: 'patched' }, ready, {
        subresource: 'status',
      })
      expect(
        reported.status?.conditions?.map(({ type, status }) => `${type} ${status}`).sort(),
      ).toEqual(['DiskPressure False', 'Ready True'])
      const cordon = strategicPatch({
        spec: { unschedulable: true, taints: [{ key: 'b', effect: 'NoSchedule' }] },
      })
      const cordoned = await client.patch(nodes, { name: 'patched' }, cordon)
      expect(cordoned.spec).toEqual({
        unschedulable: true,
        taints: [{ key: 'b', effect: 'NoSchedule' }],
      })
    })

    it('not strategically for a custom resource', async () => {
      await client.create(widgets, widget('plain'))
      const key = { namespace, name: 'plain' }
      const failure = await failureOf(
        client.patch(widgets, key, strategicPatch({ spec: { size: 1 } })),
      )
      expect(failure).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' })
      expect(String(failure)).toContain('application/merge-patch+json')
    })
  })

  describe('server-side apply', () => {
    const mine = { fieldManager: 'machinist' }

    it('creates, owns and gives up fields', async () => {
      const key = { namespace, name: 'applied' }
      const made = await client.patch(
        widgets,
        key,
        apply(widget('applied', { size: 1, colour: 'red' }), mine),
      )
      expect(made.spec).toEqual({ size: 1, colour: 'red' })
      expect(made.metadata.managedFields).toMatchObject([
        { manager: 'machinist', operation: 'Apply', fieldsType: 'FieldsV1' },
      ])
      const less = await client.patch(widgets, key, apply(widget('applied', { size: 1 }), mine))
      expect(less.spec).toEqual({ size: 1 })
      const same = await client.patch(widgets, key, apply(widget('applied', { size: 1 }), mine))
      expect(same.metadata.resourceVersion).toBe(less.metadata.resourceVersion)
    })

    it('accepts an object that was read', async () => {
      const key = { namespace, name: 'read' }
      await client.patch(widgets, key, apply(widget('read', { size: 1 }), mine))
      const read = await client.get(widgets, key)
      const patched = await client.patch(
        widgets,
        key,
        apply({ ...read, spec: { size: 2 } } as Widget, mine),
      )
      expect(patched.spec).toEqual({ size: 2 })
    })

    it('conflicts with another manager, and takes over with force', async () => {
      const key = { namespace, name: 'contested' }
      await client.patch(
        widgets,
        key,
        apply(widget('contested', { size: 1 }), { fieldManager: 'other' }),
      )
      const desired = widget('contested', { size: 2 })
      const failure = await failureOf(client.patch(widgets, key, apply(desired, mine)))
      expect(failure).toMatchObject({
        code: 409,
        causes: [
          { reason: 'FieldManagerConflict', field: '.spec.size', message: 'conflict with "other"' },
        ],
      })
      expect(String(failure)).toContain(
        'Apply failed with 1 conflict: conflict with "other": .spec.size',
      )
      const taken = await client.patch(widgets, key, apply(desired, { ...mine, force: true }))
      expect(taken.spec).toEqual({ size: 2 })
    })
  })

  it('has separate ownership for status', async () => {
    const key = { namespace, name: 'reporting' }
    await client.create(widgets, { ...widget('reporting', { size: 1 }), status: { observed: 9 } })
    const change = mergePatch({ spec: { size: 5 }, status: { observed: 1 } })
    const reported = await client.patch(widgets, key, change, { subresource: 'status' })
    expect([reported.spec, reported.status]).toEqual([{ size: 1 }, { observed: 1 }])
    expect(reported.metadata.generation).toBe(1)
    const resized = await client.patch(
      widgets,
      key,
      mergePatch({ spec: { size: 5 }, status: { observed: 2 } }),
    )
    expect([resized.spec, resized.status]).toEqual([{ size: 5 }, { observed: 1 }])
    expect(resized.metadata.generation).toBe(2)
    const replaced = await client.replace(
      widgets,
      { ...resized, status: { observed: 2 } },
      { subresource: 'status' },
    )
    expect(replaced.status).toEqual({ observed: 2 })
    expect(await client.get(widgets, key, { subresource: 'status' })).toEqual(replaced)
  })

  describe('lists', () => {
    let many: string

    beforeAll(async () => {
      many = await freshNamespace(client)
      const names = Array.from({ length: 1100 }, (_, i) => `m${String(i).padStart(4, '0')}`)
      for (let from = 0; from < names.length; from += 20) {
        const some = names.slice(from, from + 20)
        await Promise.all(
          some.map((name, i) =>
            client.create(configMaps, {
              ...configMap(name, { text: name }),
              metadata: {
                name,
                namespace: many,
                labels: { even: String(i % 2 === 0), group: `g${i}` },
              },
            }),
          ),
        )
      }
    })

    it('have pages of one version', async () => {
      const first = await client.list(configMaps, { namespace: many, limit: 400 })
      expect(first.items).toHaveLength(400)
      expect(first.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
      await client.create(configMaps, {
        ...configMap('zzz'),
        metadata: { name: 'zzz', namespace: many },
      })
      const rest: string[] = []
      for (let next = first.continue; next !== undefined;) {
        const page = await client.list(configMaps, { namespace: many, limit: 400, continue: next })
        expect(page.resourceVersion).toBe(first.resourceVersion)
        rest.push(...page.items.map((item) => item.metadata.name))
        next = page.continue
      }
      expect(rest).toHaveLength(700)
      await client.remove(configMaps, { namespace: many, name: 'zzz' })
    })

    it('are complete with listAll', async () => {
      const names: string[] = []
      for await (const item of client.listAll(configMaps, { namespace: many }))
        names.push(item.metadata.name)
      expect(names).toHaveLength(1100)
      expect(new Set(names).size).toBe(1100)
    })

    it('select by labels and fields', async () => {
      const even = await client.list(configMaps, { namespace: many, labels: 'even=true' })
      expect(even.items).toHaveLength(550)
      const chosen = await client.list(configMaps, {
        namespace: many,
        labels: 'even in (true),group notin (g0,g2)',
      })
      expect(chosen.items).toHaveLength(440)
      const one = await client.list(configMaps, { namespace: many, fields: 'metadata.name=m0042' })
      expect(one.items.map((item) => item.data)).toEqual([{ text: 'm0042' }])
      const failure = await failureOf(
        client.list(configMaps, { namespace: many, fields: 'data.text=m0042' }),
      )
      expect(failure).toMatchObject({ code: 400 })
      expect(String(failure)).toContain(
        '"data.text" is not a known field selector: only "metadata.name", "metadata.namespace"',
      )
    })

    it('select pods by their node', async () => {
      for (const nodeName of ['worker-a', 'worker-b']) {
        await client.create(pods, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `on-${nodeName}`, namespace },
          spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
        })
      }
      const found = await client.list(pods, { namespace, fields: 'spec.nodeName=worker-b' })
      expect(found.items.map((pod) => pod.metadata.name)).toEqual(['on-worker-b'])
    })

    it('can contain metadata only', async () => {
      const page = await client.listMetadata(configMaps, { namespace: many, limit: 10 })
      expect(page.items).toHaveLength(10)
      expect(page.items[0]).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
      })
      expect(page.items[0]).not.toHaveProperty('data')
      const one = await client.getMetadata(configMaps, { namespace: many, name: 'm0042' })
      expect(one.metadata.name).toBe('m0042')
      expect(one).not.toHaveProperty('data')
    })
  })

  describe('watches', () => {
    const never = new AbortController().signal

    it('start after a version, send a bookmark near the end, and end at the timeout', async () => {
      const key = { namespace, name: 'watched' }
      const { metadata } = await client.create(configMaps, configMap('watched', { a: '1' }))
      await client.patch(configMaps, key, mergePatch({ data: { a: '2' } }))
      await client.remove(configMaps, key)
      const options = {
        namespace,
        fields: 'metadata.name=watched',
        resourceVersion: metadata.resourceVersion,
        bookmarks: true,
        timeoutSeconds: 6,
      }
      const events: string[] = []
      let bookmark = 0
      let elsewhere = 0
      for await (const event of client.watch(configMaps, options, never)) {
        if (event.type === 'BOOKMARK') bookmark = Number(event.resourceVersion)
        else events.push(`${event.type} ${event.object.data?.['a']}`)
        if (event.type !== 'DELETED') continue
        // Not selected, so that only a bookmark contains the version.
        const other = await client.create(configMaps, configMap('elsewhere'))
        elsewhere = Number(other.metadata.resourceVersion)
      }
      expect(events).toEqual(['MODIFIED 2', 'DELETED 2'])
      expect(bookmark).toBeGreaterThanOrEqual(elsewhere)
    })

    it('can contain metadata only', async () => {
      const { items, resourceVersion } = await client.listMetadata(configMaps, { namespace })
      expect(items.length).toBeGreaterThan(0)
      await client.create(configMaps, configMap('bare', { secret: 'large' }))
      const source = client.listWatch(configMaps, { namespace, metadataOnly: true })
      for await (const event of source.watch({ resourceVersion, timeoutSeconds: 10 }, never)) {
        expect(event).toMatchObject({
          type: 'ADDED',
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'bare' } },
        })
        expect(event).not.toHaveProperty('object.data')
        break
      }
    })

    it('end when their signal aborts', async () => {
      const stop = new AbortController()
      const { resourceVersion } = await client.list(configMaps, { namespace })
      const events = client.watch(configMaps, { namespace, resourceVersion }, stop.signal)
      const next = events[Symbol.asyncIterator]().next()
      stop.abort()
      expect(await next).toEqual({ done: true, value: undefined })
    })
  })

  it('the client and kubectl see the same objects', async () => {
    await client.create(
      configMaps,
      configMap('shared', { by: 'machinist', odd: 'ünï\n"cödé" \u{1f44d}' }),
    )
    const printed = await kubectl(
      cluster,
      '-n',
      namespace,
      'get',
      'configmap',
      'shared',
      '-o',
      'json',
      '--show-managed-fields',
    )
    expect(JSON.parse(printed)).toEqual(await client.get(configMaps, { namespace, name: 'shared' }))
    await kubectl(
      cluster,
      '-n',
      namespace,
      'create',
      'configmap',
      'theirs',
      '--from-literal=by=kubectl',
    )
    expect((await client.get(configMaps, { namespace, name: 'theirs' })).data).toEqual({
      by: 'kubectl',
    })
  })
})
