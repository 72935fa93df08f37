import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { followKubectl } from '../support/kubectl.ts'
import { configMap, node } from '../support/objects.ts'

const words = (line: string | undefined): string => (line ?? '').trim().split(/\s+/).join(' ')

conformance('kubectl reads', (on) => {
  it(
    'get: a table',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', { x: '1', y: '2' }))
      const { stdout } = await kubectl('get', 'cm', '-n', namespace)
      const [header, row] = stdout.split('\n')
      expect(words(header)).toBe('NAME DATA AGE')
      expect(words(row)).toMatch(/^a 2 \d+s$/)
    }),
  )

  it(
    'get: no objects',
    on(async ({ kubectl, namespace }) => {
      const { stdout, stderr } = await kubectl('get', 'cm,secrets', '-n', namespace)
      expect(stdout).toBe('')
      expect(stderr).toBe(`No resources found in ${namespace} namespace.\n`)
      const missing = await kubectl('get', 'cm', 'none', '-n', namespace)
      expect(missing.code).toBe(1)
      expect(missing.stderr).toBe('Error from server (NotFound): configmaps "none" not found\n')
      const unknown = await kubectl('get', 'gizmos')
      expect(unknown.stderr).toBe('error: the server doesn\'t have a resource type "gizmos"\n')
    }),
  )

  it(
    'get: JSON and JSONPath output',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a', { x: '1' }))
      const { stdout } = await kubectl(
        'get',
        'cm',
        'a',
        '-n',
        namespace,
        '-o',
        'json',
        '--show-managed-fields',
      )
      expect(JSON.parse(stdout)).toEqual(made.body)
      const value = await kubectl('get', 'cm', 'a', '-n', namespace, '-o', 'jsonpath={.data.x}')
      expect(value.stdout).toBe('1')
    }),
  )

  it(
    'get: nodes with roles and readiness',
    on(async ({ api, kubectl, unique }) => {
      await api.post('/api/v1/nodes', {
        ...node(unique, { labels: { 'node-role.kubernetes.io/worker': '' } }),
        spec: { unschedulable: true },
      })
      await api.patch(`/api/v1/nodes/${unique}/status`, 'merge', {
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          nodeInfo: { kubeletVersion: 'v1.32.4' },
        },
      })
      const { stdout } = await kubectl('get', 'node', unique)
      const [header, row] = stdout.split('\n')
      expect(words(header)).toBe('NAME STATUS ROLES AGE VERSION')
      expect(words(row)).toMatch(
        new RegExp(`^${unique} Ready,SchedulingDisabled worker \\d+s v1\\.32\\.4$`),
      )
    }),
  )

  it(
    'get -w: rows of a watch',
    on(async ({ api, target, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const following = followKubectl(target, 'get', 'cm', '-n', namespace, '-w')
      try {
        expect(words(await following.line())).toBe('NAME DATA AGE')
        expect(words(await following.line())).toMatch(/^a 0 \d+s$/)
        await api.post(path, configMap('b', { x: '1' }))
        expect(words(await following.line())).toMatch(/^b 1 \d+s$/)
        await api.patch(`${path}/a`, 'merge', { data: { x: '1', y: '2' } })
        expect(words(await following.line())).toMatch(/^a 2 \d+s$/)
      } finally {
        following.end()
      }
    }),
  )

  it(
    'describe: a config map',
    on(async ({ api, kubectl, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', { x: '1' }, { labels: { colour: 'red' } }))
      const { stdout } = await kubectl('describe', 'cm', 'a', '-n', namespace)
      expect(stdout.split('\n').map(words)).toEqual([
        'Name: a',
        `Namespace: ${namespace}`,
        'Labels: colour=red',
        'Annotations: <none>',
        '',
        'Data',
        '====',
        'x:',
        '----',
        '1',
        '',
        '',
        'BinaryData',
        '====',
        '',
        'Events: <none>',
        '',
      ])
    }),
  )

  it(
    'describe: a node with its events',
    on(async ({ api, kubectl, unique }) => {
      const { body } = await api.post('/api/v1/nodes', node(unique))
      await api.post('/api/v1/namespaces/default/events', {
        metadata: { name: unique, namespace: 'default' },
        involvedObject: { kind: 'Node', apiVersion: 'v1', name: unique, uid: body.metadata.uid },
        reason: 'Tried',
        message: 'a thing',
        type: 'Normal',
        source: { component: 'tester' },
        count: 1,
      })
      const { code, stdout } = await kubectl('describe', 'node', unique)
      expect(code).toBe(0)
      expect(stdout).toMatch(new RegExp(`^Name: +${unique}\n`))
      expect(stdout).toMatch(/\nUnschedulable: +false\n/)
      expect(stdout).toMatch(/\n {2}Normal {2}Tried {3}<unknown> {2}tester {2}a thing\n/)
      const byUid = await kubectl(
        'get',
        'events',
        '--field-selector',
        `involvedObject.name=${unique}`,
      )
      expect(words(byUid.stdout.split('\n')[1])).toBe(
        `<unknown> Normal Tried node/${unique} a thing`,
      )
    }),
  )

  it(
    'wait: for a condition and for deletion',
    on(async ({ api, kubectl, unique }) => {
      const path = `/api/v1/nodes/${unique}`
      await api.post('/api/v1/nodes', node(unique))
      const ready = kubectl('wait', '--for=condition=Ready', `node/${unique}`, '--timeout=30s')
      await api.patch(`${path}/status`, 'merge', {
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      })
      expect((await ready).stdout).toBe(`node/${unique} condition met\n`)
      const gone = kubectl('wait', '--for=delete', `node/${unique}`, '--timeout=30s')
      await api.delete(path)
      expect((await gone).code).toBe(0)
    }),
  )

  it(
    'wait: timeout',
    on(async ({ api, kubectl, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      const { code, stderr } = await kubectl(
        'wait',
        '--for=condition=Ready',
        `node/${unique}`,
        '--timeout=1s',
      )
      expect(code).toBe(1)
      expect(stderr).toBe(`error: timed out waiting for the condition on nodes/${unique}\n`)
    }),
  )

  it(
    'api-resources, version, cluster-info',
    on(async ({ kubectl, target }) => {
      const { stdout } = await kubectl('api-resources', '--api-group=policy', '--no-headers')
      expect(words(stdout)).toBe('poddisruptionbudgets pdb policy/v1 true PodDisruptionBudget')
      const version = await kubectl('version', '-o', 'json')
      expect(JSON.parse(version.stdout)).toMatchObject({
        serverVersion: { major: '1', minor: '32' },
      })
      const info = await kubectl('cluster-info')
      expect(stripVTControlCharacters(info.stdout)).toMatch(
        new RegExp(`^Kubernetes control plane is running at ${target.server}\n`),
      )
    }),
  )

  it(
    'explain: a built-in kind',
    on(async ({ kubectl }) => {
      const { stdout } = await kubectl('explain', 'node.spec.unschedulable')
      expect(stdout).toMatch(
        /^KIND: +Node\nVERSION: +v1\n\nFIELD: unschedulable <boolean>\n\n\nDESCRIPTION:\n/,
      )
    }),
  )
})
