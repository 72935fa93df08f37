import type { ADD, V1ConfigMap } from '@kubernetes/client-node'
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  Watch,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Stage } from '../support/conformance.ts'
import { conformance } from '../support/conformance.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

function connected({ target }: Stage): KubeConfig {
  const config = new KubeConfig()
  config.loadFromFile(target.kubeconfig)
  return config
}

const map = (name: string, data: Record<string, string> = {}): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

conformance('client-node', (on) => {
  it(
    'creates, lists, reads, deletes',
    on(async (stage) => {
      const { namespace } = stage
      const core = connected(stage).makeApiClient(CoreV1Api)
      const made = await core.createNamespacedConfigMap({ namespace, body: map('a', { x: '1' }) })
      expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date)
      const { items } = await core.listNamespacedConfigMap({ namespace, limit: 10 })
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(['a'])
      expect((await core.readNamespacedConfigMap({ namespace, name: 'a' })).data).toEqual({
        x: '1',
      })
      const gone = await core.deleteNamespacedConfigMap({ namespace, name: 'a' })
      expect(gone.status).toBe('Success')
      await expect(core.readNamespacedConfigMap({ namespace, name: 'a' })).rejects.toMatchObject({
        code: 404,
        body: expect.stringContaining('configmaps \\"a\\" not found'),
      })
    }),
  )

  it(
    'patches',
    on(async (stage) => {
      const { namespace } = stage
      const core = connected(stage).makeApiClient(CoreV1Api)
      await core.createNamespacedConfigMap({ namespace, body: map('a', { x: '1' }) })
      const patch = (type: string, body: unknown): Promise<V1ConfigMap> =>
        core.patchNamespacedConfigMap(
          { namespace, name: 'a', body },
          setHeaderOptions('Content-Type', type),
        )
      await patch(PatchStrategy.MergePatch, { data: { y: '2' } })
      await patch(PatchStrategy.StrategicMergePatch, { data: { x: null } })
      const patched = await patch(PatchStrategy.JsonPatch, [
        { op: 'add', path: '/data/z', value: '3' },
      ])
      expect(patched.data).toEqual({ y: '2', z: '3' })
    }),
  )

  it(
    'applies objects of any kind',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const { path } = await serveWidgets(api, unique, namespace)
      const objects = KubernetesObjectApi.makeApiClient(connected(stage))
      const object = { ...widget(unique, 'w', { size: 2 }), metadata: { name: 'w', namespace } }
      await objects.patch(
        object,
        undefined,
        undefined,
        'client-node',
        true,
        PatchStrategy.ServerSideApply,
      )
      expect((await api.get(`${path}/w`)).body.spec).toEqual({ size: 2 })
    }),
  )

  it(
    'supports custom objects',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      await serveWidgets(api, unique, namespace)
      const custom = connected(stage).makeApiClient(CustomObjectsApi)
      const where = { group: `${unique}.example.org`, version: 'v1', namespace, plural: 'widgets' }
      await custom.createNamespacedCustomObject({ ...where, body: widget(unique, 'w') })
      const list = (await custom.listNamespacedCustomObject(where)) as { items: unknown[] }
      expect(list.items).toMatchObject([{ spec: { size: 3 } }])
    }),
  )

  it(
    'watches',
    on(async (stage) => {
      const { namespace } = stage
      const config = connected(stage)
      const core = config.makeApiClient(CoreV1Api)
      const seen: string[] = []
      const watching = await new Watch(config).watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        {},
        (phase, object: V1ConfigMap) => seen.push(`${phase} ${object.metadata?.name}`),
        () => {},
      )
      try {
        await core.createNamespacedConfigMap({ namespace, body: map('a') })
        await core.deleteNamespacedConfigMap({ namespace, name: 'a' })
        await until('both are seen', () => seen.length === 2)
      } finally {
        watching.abort()
      }
      expect(seen).toEqual(['ADDED a', 'DELETED a'])
    }),
  )

  it(
    'runs an informer',
    on(async (stage) => {
      const { namespace } = stage
      const config = connected(stage)
      const core = config.makeApiClient(CoreV1Api)
      await core.createNamespacedConfigMap({ namespace, body: map('a') })
      const informer = makeInformer<V1ConfigMap>(
        config,
        `/api/v1/namespaces/${namespace}/configmaps`,
        () => core.listNamespacedConfigMap({ namespace }),
      )
      const added: string[] = []
      const verb: ADD = 'add'
      informer.on(verb, ({ metadata }) => void added.push(metadata?.name ?? ''))
      await informer.start()
      try {
        await core.createNamespacedConfigMap({ namespace, body: map('b') })
        await until('both are known', () => added.length === 2)
      } finally {
        await informer.stop()
      }
      expect(added).toEqual(['a', 'b'])
    }),
  )
})
