import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { kubectlWith } from '../support/kubectl.ts'
import { configMap } from '../support/objects.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

conformance('kubectl writes', (on) => {
  it(
    'create: from arguments and from a file',
    on(async ({ kubectl, target, namespace, unique }) => {
      const made = await kubectl('create', 'cm', 'a', '-n', namespace, '--from-literal=x=1')
      expect(made.stdout).toBe('configmap/a created\n')
      const twice = await kubectl('create', 'cm', 'a', '-n', namespace)
      expect(twice.stderr).toBe(
        'error: failed to create configmap: configmaps "a" already exists\n',
      )
      const secret = await kubectl(
        'create',
        'secret',
        'generic',
        's',
        '-n',
        namespace,
        '--from-literal=x=1',
      )
      expect(secret.stdout).toBe('secret/s created\n')
      const space = await kubectl('create', 'namespace', `more-${unique}`)
      expect(space.stdout).toBe(`namespace/more-${unique} created\n`)
      const file = await kubectlWith(target, [configMap('b')], 'create', '-n', namespace, '-f', '-')
      expect(file.stdout).toBe('configmap/b created\n')
    }),
  )

  it(
    'create: strict field validation',
    on(async ({ target, namespace }) => {
      const { code, stderr } = await kubectlWith(
        target,
        [{ ...configMap('a'), dta: {} }],
        'create',
        '-n',
        namespace,
        '-f',
        '-',
      )
      expect(code).toBe(1)
      expect(stderr).toBe(
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"\n',
      )
    }),
  )

  it(
    'apply: created, unchanged, configured, removed fields',
    on(async ({ api, target, namespace }) => {
      const apply = async (data: Record<string, string>): Promise<string> =>
        (await kubectlWith(target, [configMap('a', data)], 'apply', '-n', namespace, '-f', '-'))
          .stdout
      expect(await apply({ x: '1', y: '1' })).toBe('configmap/a created\n')
      expect(await apply({ x: '1', y: '1' })).toBe('configmap/a unchanged\n')
      expect(await apply({ x: '2' })).toBe('configmap/a configured\n')
      const { body } = await api.get(`/api/v1/namespaces/${namespace}/configmaps/a`)
      expect(body['data']).toEqual({ x: '2' })
    }),
  )

  it(
    'apply: a custom resource',
    on(async ({ api, target, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const apply = async (spec: object): Promise<string> => {
        const object = widget(unique, 'w', spec)
        const { stdout, stderr } = await kubectlWith(
          target,
          [object],
          'apply',
          '-n',
          namespace,
          '-f',
          '-',
        )
        return stdout + stderr
      }
      const name = `widget.${unique}.example.org/w`
      expect(await apply({ size: 1, parts: ['a'] })).toBe(`${name} created\n`)
      expect(await apply({ parts: ['b'] })).toBe(`${name} configured\n`)
      expect((await api.get(`${path}/w`)).body.spec).toEqual({ size: 3, parts: ['b'] })
    }),
  )

  it(
    'apply --server-side: a conflict, then with force',
    on(async ({ api, target, namespace }) => {
      await api.patch(
        `/api/v1/namespaces/${namespace}/configmaps/a?fieldManager=owner`,
        'apply',
        configMap('a', { x: '1' }),
      )
      const args = ['apply', '--server-side', '-n', namespace, '-f', '-']
      const rejected = await kubectlWith(target, [configMap('a', { x: '2' })], ...args)
      expect(rejected.code).toBe(1)
      expect(rejected.stderr.split('\n')[0]).toBe(
        'error: Apply failed with 1 conflict: conflict with "owner": .data.x',
      )
      const forced = await kubectlWith(
        target,
        [configMap('a', { x: '2' })],
        ...args,
        '--force-conflicts',
      )
      expect(forced.stdout).toBe('configmap/a serverside-applied\n')
    }),
  )

  it(
    'apply --dry-run=server stores nothing',
    on(async ({ api, target, namespace }) => {
      const args = ['apply', '--dry-run=server', '-n', namespace, '-f', '-']
      const { stdout } = await kubectlWith(target, [configMap('a')], ...args)
      expect(stdout).toBe('configmap/a created (server dry run)\n')
      expect((await api.get(`/api/v1/namespaces/${namespace}/configmaps/a`)).code).toBe(404)
    }),
  )

  it(
    'diff: shows the changes of an apply',
    on(async ({ api, target, namespace }) => {
      await api.post(`/api/v1/namespaces/${namespace}/configmaps`, configMap('a', { x: '1' }))
      const args = ['diff', '-n', namespace, '-f', '-']
      const { code, stdout } = await kubectlWith(target, [configMap('a', { x: '2' })], ...args)
      expect(code).toBe(1)
      expect(stdout).toContain('\n-  x: "1"\n+  x: "2"\n')
    }),
  )

  it(
    'replace: without and with a resourceVersion',
    on(async ({ api, target, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a', { x: '1' }))
      const args = ['replace', '-n', namespace, '-f', '-']
      const newest = await kubectlWith(target, [configMap('a', { x: '2' })], ...args)
      expect(newest.stdout).toBe('configmap/a replaced\n')
      const edited = await kubectlWith(target, [made.body], ...args)
      expect(edited.stderr).toBe(
        'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again\n',
      )
    }),
  )

  it(
    'patch: three patch types',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', { x: '1' }))
      const patch = async (type: string, body: unknown): Promise<string> => {
        const patched = ['patch', 'cm', 'a', '-n', namespace, '--type', type]
        return (await kubectl(...patched, '-p', JSON.stringify(body))).stdout
      }
      expect(await patch('strategic', { data: { y: '2' } })).toBe('configmap/a patched\n')
      expect(await patch('merge', { data: { x: null } })).toBe('configmap/a patched\n')
      expect(await patch('json', [{ op: 'add', path: '/data/z', value: '3' }])).toBe(
        'configmap/a patched\n',
      )
      expect(await patch('merge', { data: { z: '3' } })).toBe('configmap/a patched (no change)\n')
      expect((await api.get(`${path}/a`)).body['data']).toEqual({ y: '2', z: '3' })
    }),
  )

  it(
    'label and annotate',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const at = ['cm', 'a', '-n', namespace]
      expect((await kubectl('label', ...at, 'colour=red')).stdout).toBe('configmap/a labeled\n')
      const again = await kubectl('label', ...at, 'colour=blue')
      expect(again.stderr).toBe(
        "error: 'colour' already has a value (red), and --overwrite is false\n",
      )
      expect((await kubectl('label', ...at, 'colour-')).stdout).toBe('configmap/a unlabeled\n')
      expect((await kubectl('annotate', ...at, 'note=x')).stdout).toBe('configmap/a annotated\n')
      expect((await api.get(`${path}/a`)).body.metadata).toMatchObject({
        annotations: { note: 'x' },
      })
    }),
  )

  it(
    'delete: waits for finalizers',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', {}, { finalizers: ['example.org/hold'] }))
      const watch = await api.watch(`${path}?watch=true&fieldSelector=metadata.name%3Da`)
      await watch.take(1)
      const deleted = kubectl('delete', 'cm', 'a', '-n', namespace)
      const [leaving] = await watch.take(1)
      watch.close()
      expect(leaving?.object.metadata.deletionTimestamp).toBeDefined()
      await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } })
      expect((await deleted).stdout).toBe('configmap "a" deleted\n')
    }),
  )

  it(
    'delete: foreground and orphan propagation',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      // Observed in a watch, because a garbage collector may remove them immediately.
      const finalizers = async (name: string, cascade: string): Promise<unknown> => {
        const held = configMap(name, {}, { finalizers: ['example.org/hold'] })
        const { resourceVersion } = (await api.post(path, held)).body.metadata
        const watch = await api.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`)
        const flags = ['-n', namespace, `--cascade=${cascade}`, '--wait=false']
        await kubectl('delete', 'cm', name, ...flags)
        const [leaving] = await watch.take(1)
        watch.close()
        return leaving?.object.metadata.finalizers
      }
      expect(await finalizers('f', 'foreground')).toEqual([
        'example.org/hold',
        'foregroundDeletion',
      ])
      expect(await finalizers('o', 'orphan')).toEqual(['example.org/hold', 'orphan'])
      expect(await finalizers('b', 'background')).toEqual(['example.org/hold'])
    }),
  )

  it(
    'delete: by label, and a missing object',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', {}, { labels: { colour: 'red' } }))
      await api.post(path, configMap('b'))
      const { stdout } = await kubectl('delete', 'cm', '-l', 'colour=red', '-n', namespace)
      expect(stdout).toBe('configmap "a" deleted\n')
      const none = await kubectl('delete', 'cm', 'none', '-n', namespace)
      expect(none.stderr).toBe('Error from server (NotFound): configmaps "none" not found\n')
      const ignored = await kubectl('delete', 'cm', 'none', '-n', namespace, '--ignore-not-found')
      expect(ignored.code).toBe(0)
    }),
  )
})
