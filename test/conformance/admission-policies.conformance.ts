import { expect, it } from 'vitest'
import { until } from '../support/until.ts'
import type { Answer } from './api.ts'
import { conformance } from './conformance.ts'
import { configMap, failure, node, pod } from './objects.ts'
import { bindings, enforce, heeded, here, policies, reasonOf, rules, write } from './policies.ts'
import { account } from './service-accounts.ts'

const about = (resource: string, name: string, said: string): [string, object] => [
  `${resource} "${name}" is forbidden: ${said}`,
  { name, kind: resource, causes: [{ message: said }] },
]

/** One line with everything that a request says about itself. */
const dump = `[
  request.operation,
  has(request.name) ? request.name : '-',
  has(request.namespace) ? 'inside' : 'outside',
  request.kind.group + '/' + request.kind.version + '/' + request.kind.kind,
  request.resource.group + '/' + request.resource.version + '/' + request.resource.resource,
  has(request.subResource) ? request.subResource : '-',
  request.dryRun ? 'dry' : 'wet',
  string(request.options.kind),
  object == null ? 'null' : string(object.kind),
  oldObject == null ? 'null' : string(oldObject.kind),
].join(' ')`.replaceAll(/\s*\n\s*/g, ' ')

conformance('admission policies', (on) => {
  it(
    '422: says which policy denies, and why',
    on(async (stage) => {
      const { api, namespace } = stage
      const { denied } = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [
          { expression: 'object.data.size() < 3', message: '  at most two  ' },
          { expression: 'false', message: 'never said' },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { code, body } = await api.post(path, configMap('a', { x: '1', y: '2', z: '3' }))
      expect(code).toBe(422)
      expect(body).toEqual(
        failure(422, 'Invalid', ...about('configmaps', 'a', denied('at most two'))),
      )
    }),
  )

  it(
    '403, 413, 422: the reason is the policy’s',
    on(async (stage) => {
      const { api, namespace } = stage
      const validation = (reason: string): object => ({
        expression: `object.data.wants != '${reason}'`,
        message: 'because',
        reason,
      })
      const { denied } = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: ['Forbidden', 'RequestEntityTooLarge', 'Invalid'].map(validation),
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      for (const [wants, code] of [
        ['Forbidden', 403],
        ['RequestEntityTooLarge', 413],
        ['Invalid', 422],
      ] as const) {
        const answer = await api.post(path, configMap('a', { wants }))
        expect(answer.code).toBe(code)
        expect(answer.body).toEqual(
          failure(code, wants, ...about('configmaps', 'a', denied('because'))),
        )
      }
    }),
  )

  it(
    'nothing happens without a binding, nor after it is gone',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const matchConstraints = { ...rules(['configmaps']), ...here(stage) }
      const spec = {
        matchConstraints,
        validations: [{ expression: "object.metadata.name != 'a'" }],
      }
      const name = `${unique}-policy`
      await api.post(policies, { metadata: { name }, spec })
      await heeded(stage)
      const attempt = (): Promise<Answer> =>
        api.post(`/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, configMap('a'))
      expect((await attempt()).code).toBe(201)
      const binding = { policyName: name, validationActions: ['Deny'] }
      await api.post(bindings, { metadata: { name }, spec: binding })
      await until('it is denied', async () => (await attempt()).code === 422)
      await api.delete(`${bindings}/${name}`)
      await until('it is allowed', async () => (await attempt()).code === 201)
    }),
  )

  it(
    'a policy may change',
    on(async (stage) => {
      const { api, namespace } = stage
      const matchConstraints = { ...rules(['configmaps']), ...here(stage) }
      const validations = [{ expression: "object.metadata.name != 'a'", message: 'first' }]
      const enforced = await enforce(stage, { matchConstraints, validations })
      const attempt = (): Promise<Answer> =>
        api.post(`/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, configMap('a'))
      expect(reasonOf(enforced, await attempt())).toBe('first')
      const changed = await api.patch(`${policies}/${enforced.name}`, 'merge', {
        spec: { validations: [{ expression: "object.metadata.name != 'a'", message: 'second' }] },
      })
      expect(changed.code).toBe(200)
      expect(changed.body.metadata.generation).toBe(2)
      const isSecond = async (): Promise<boolean> =>
        reasonOf(enforced, await attempt()) === 'second'
      await until('it is the second', isSecond)
      await api.delete(`${policies}/${enforced.name}`)
      await until('it is allowed', async () => (await attempt()).code === 201)
    }),
  )

  it(
    'the message is worked out, or written, or the expression',
    on(async (stage) => {
      const { api, namespace } = stage
      const cases: [object, string][] = [
        [{ messageExpression: "' no ' + object.metadata.name + ' '", message: 'm' }, 'no c0'],
        [{ messageExpression: "''", message: 'm' }, 'm'],
        [{ messageExpression: "'a\\nb'", message: 'm' }, 'm'],
        [{ messageExpression: 'string(object.nothing)', message: 'm' }, 'm'],
        [{ message: 'm' }, 'm'],
        [{}, "failed expression: object.metadata.name != 'c5'"],
        [{ messageExpression: "'x'.replace('x', '1234567890').split('').join('-')" }, numbers],
      ]
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: cases.map(([more], i) => ({
          expression: ` object.metadata.name != 'c${i}' `,
          ...more,
        })),
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      for (const [i, [, said]] of cases.entries()) {
        expect(reasonOf(enforced, await api.post(path, configMap(`c${i}`)))).toBe(said)
      }
    }),
  )

  it(
    'what is created has no old object, what is deleted no new one',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [
          {
            expression:
              "request.operation != 'CREATE' || oldObject == null && object.metadata.uid != ''",
          },
          {
            expression: "request.operation != 'UPDATE' || object.data.x == oldObject.data.x",
            messageExpression: "string(oldObject.data.x) + ' becomes ' + string(object.data.x)",
          },
          {
            expression: "request.operation != 'DELETE' || object != null",
            messageExpression: "string(oldObject.data.x) + ' goes'",
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      expect((await api.post(path, configMap('a', { x: '1' }))).code).toBe(201)
      const said = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      expect(await said(api.put(`${path}/a`, configMap('a', { x: '2' })))).toBe('1 becomes 2')
      expect(await said(api.patch(`${path}/a`, 'merge', { data: { x: '3' } }))).toBe('1 becomes 3')
      const operations = [{ op: 'replace', path: '/data/x', value: '4' }]
      expect(await said(api.patch(`${path}/a`, 'json', operations))).toBe('1 becomes 4')
      expect(await said(api.patch(`${path}/a`, 'strategic', { data: { x: '5' } }))).toBe(
        '1 becomes 5',
      )
      const applied = configMap('a', { x: '6' })
      const force = `${path}/a?fieldManager=me&force=true`
      expect(await said(api.patch(force, 'apply', applied))).toBe('1 becomes 6')
      expect(await said(api.delete(`${path}/a`))).toBe('1 goes')
      expect((await api.get(`${path}/a`)).body['data']).toEqual({ x: '1' })
    }),
  )

  it(
    'a request says what it is',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [
          {
            expression: "object != null && object.metadata.name == 'kept'",
            messageExpression: dump,
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const said = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      const map = '/v1/ConfigMap /v1/configmaps -'
      expect(await said(api.post(path, configMap('a')))).toBe(
        `CREATE a inside ${map} wet CreateOptions ConfigMap null`,
      )
      expect(await said(api.post(`${path}?dryRun=All`, configMap('a')))).toBe(
        `CREATE a inside ${map} dry CreateOptions ConfigMap null`,
      )
      expect(await said(api.patch(`${path}/a?fieldManager=x`, 'apply', configMap('a')))).toBe(
        `CREATE a inside ${map} wet CreateOptions ConfigMap null`,
      )
      expect((await api.post(path, configMap('kept'))).code).toBe(201)
      expect(await said(api.delete(`${path}/kept`))).toBe(
        `DELETE kept inside ${map} wet DeleteOptions null ConfigMap`,
      )
      expect(await said(api.delete(`${path}/kept`, { dryRun: ['All'] }))).toBe(
        `DELETE kept inside ${map} dry DeleteOptions null ConfigMap`,
      )
      const generated = await api.post(path, {
        ...configMap(''),
        metadata: { generateName: 'made-' },
      })
      expect(reasonOf(enforced, generated)).toMatch(/^CREATE made-[a-z0-9]{5} inside /)
    }),
  )

  it(
    'options are what was sent',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [
          {
            expression: "request.operation == 'CREATE' && !has(request.options.fieldManager)",
            messageExpression: `[
              string(request.options.apiVersion),
              string(request.options.?fieldManager.orValue('-')),
              string(request.options.?fieldValidation.orValue('-')),
              string(request.options.?propagationPolicy.orValue('-')),
              string(request.options.?gracePeriodSeconds.orValue(-1)),
              string(request.options.?dryRun[?0].orValue('-')),
            ].join(' ')`,
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      expect((await api.post(path, configMap('a'))).code).toBe(201)
      const said = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      const query = 'fieldManager=me&fieldValidation=Strict&dryRun=All'
      expect(await said(api.post(`${path}?${query}`, configMap('b')))).toBe(
        'meta.k8s.io/v1 me Strict - -1 All',
      )
      expect(await said(api.patch(`${path}/a?fieldManager=me`, 'merge', {}))).toBe(
        'meta.k8s.io/v1 me - - -1 -',
      )
      const deletion = { gracePeriodSeconds: 7, propagationPolicy: 'Background' }
      expect(await said(api.delete(`${path}/a`, deletion))).toBe(
        'meta.k8s.io/v1 - - Background 7 -',
      )
    }),
  )

  it(
    'who asks is known',
    on(async (stage) => {
      const { api, namespace, target } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [
          {
            expression: "has(request.userInfo.uid) && request.userInfo.uid == 'nobody'",
            messageExpression: `[
              request.userInfo.username,
              request.userInfo.groups.join('+'),
              has(request.userInfo.uid) ? request.userInfo.uid : '-',
              has(request.userInfo.extra) ? request.userInfo.extra['example.org/colour'].join('+') : '-',
            ].join(' ')`,
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      const jane = api.as({
        authorization: `Bearer ${target.token}`,
        'impersonate-user': 'jane',
        'impersonate-uid': 'u-1',
        'impersonate-group': 'system:masters',
        'impersonate-extra-example.org%2fcolour': 'red',
      })
      expect(reasonOf(enforced, await jane.post(path, configMap('a')))).toBe(
        'jane system:masters+system:authenticated u-1 red',
      )
      const joe = api.as({
        authorization: `Bearer ${target.token}`,
        'impersonate-user': 'joe',
        'impersonate-group': 'system:masters',
      })
      expect(reasonOf(enforced, await joe.post(path, configMap('a')))).toBe(
        'joe system:masters+system:authenticated - -',
      )
    }),
  )

  it(
    'a deleted collection has no name',
    on(async (stage) => {
      const { api, namespace } = stage
      const { denied } = await enforce(stage, {
        matchConstraints: { ...rules(['secrets'], { operations: ['DELETE'] }), ...here(stage) },
        validations: [
          {
            expression: "has(request.name) || oldObject.metadata.name != 'kept'",
            messageExpression: "'not ' + string(oldObject.metadata.name)",
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/secrets`
      await api.post(path, { metadata: { name: 'kept' } })
      const { code, body } = await api.delete(path)
      expect(code).toBe(422)
      expect(body).toEqual(
        failure(422, 'Invalid', ...about('secrets', 'Unknown', denied('not kept'))),
      )
      expect((await api.delete(`${path}/kept`)).code).toBe(200)
    }),
  )

  it(
    'what is wrong with an object is said before policies are asked',
    on(async (stage) => {
      const { api, namespace } = stage
      await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [{ expression: "object.metadata.name == 'a'" }],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      expect((await api.post(path, configMap('B_'))).text).toContain('RFC 1123')
      expect((await api.delete(`${path}/b`)).code).toBe(404)
      expect((await api.patch(`${path}/b`, 'merge', {})).code).toBe(404)
      await api.post(path, configMap('a'))
      const old = configMap('a', {}, { resourceVersion: '1', labels: { b: 'c' } })
      expect((await api.put(`${path}/a`, old)).code).toBe(409)
    }),
  )
})

const numbers = '1-2-3-4-5-6-7-8-9-0'

conformance('admission policies and where they match', (on) => {
  it(
    'subresources are named, or a star stands for them',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const matchConstraints = (resources: string[]): object => ({
        ...rules(resources),
        ...here(stage),
        objectSelector: { matchLabels: { app: unique } },
      })
      const validations = [{ expression: "request.operation != 'UPDATE'", messageExpression: dump }]
      const main = await enforce(
        stage,
        { matchConstraints: matchConstraints(['*']), validations },
        {},
        `${unique}-main`,
      )
      const path = `/api/v1/namespaces/${namespace}/pods`
      await account(api, namespace, 'default')
      expect((await api.post(path, pod('p', { app: unique }))).code).toBe(201)
      const label = { metadata: { annotations: { a: 'b' } } }
      expect(reasonOf(main, await api.patch(`${path}/p`, 'merge', label))).toBe(
        'UPDATE p inside /v1/Pod /v1/pods - wet UpdateOptions Pod Pod',
      )
      const status = { status: { message: 'm' } }
      expect((await api.patch(`${path}/p/status`, 'merge', status)).code).toBe(200)
      const below = await enforce(
        stage,
        { matchConstraints: matchConstraints(['pods/*']), validations },
        {},
        `${unique}-below`,
      )
      const denied = await api.patch(`${path}/p/status`, 'merge', { status: { message: 'n' } })
      expect(reasonOf(below, denied)).toBe(
        'UPDATE p inside /v1/Pod /v1/pods status wet UpdateOptions Pod Pod',
      )
    }),
  )

  it(
    'a scale is a Scale',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['deployments/scale']), ...here(stage) },
        validations: [
          {
            expression: 'object.spec.replicas <= 3',
            messageExpression: `${dump} + ' ' + string(oldObject.spec.replicas) + ' ' + string(object.spec.replicas)`,
          },
        ],
      })
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
      const labels = { app: 'x' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'm', image: 'i' }] } }
      const spec = { replicas: 1, selector: { matchLabels: labels }, template }
      expect((await api.post(path, { metadata: { name: 'd' }, spec })).code).toBe(201)
      const four = await api.patch(`${path}/d/scale`, 'merge', { spec: { replicas: 4 } })
      expect(four.body['details']).toMatchObject({ name: 'd', group: 'apps', kind: 'deployments' })
      expect(reasonOf(enforced, four)).toBe(
        'UPDATE d inside autoscaling/v1/Scale apps/v1/deployments scale wet UpdateOptions Scale Scale 1 4',
      )
      const three = await api.patch(`${path}/d/scale`, 'merge', { spec: { replicas: 3 } })
      expect(three.code).toBe(200)
      expect((await api.patch(`${path}/d`, 'merge', { spec: { replicas: 5 } })).code).toBe(200)
    }),
  )

  it(
    'an eviction is an Eviction, and no deletion',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const enforced = await enforce(
        stage,
        {
          matchConstraints: { ...rules(['pods/eviction']), ...here(stage) },
          validations: [{ expression: "request.name != 'p'", messageExpression: dump }],
        },
        {},
        `${unique}-eviction`,
      )
      await enforce(
        stage,
        {
          matchConstraints: { ...rules(['pods'], { operations: ['DELETE'] }), ...here(stage) },
          validations: [{ expression: 'false' }],
        },
        {},
        `${unique}-deletion`,
      )
      const path = `/api/v1/namespaces/${namespace}/pods`
      await account(api, namespace, 'default')
      await api.post(path, pod('p'))
      await api.post(path, pod('q'))
      const evict = (name: string): Promise<Answer> =>
        api.post(`${path}/${name}/eviction`, {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name },
        })
      expect(reasonOf(enforced, await evict('p'))).toBe(
        'CREATE p inside policy/v1/Eviction /v1/pods eviction wet CreateOptions Eviction null',
      )
      expect((await evict('q')).code).toBe(201)
      expect((await api.delete(`${path}/p`)).code).toBe(422)
    }),
  )

  it(
    'a request for a token is a TokenRequest',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['serviceaccounts/token']), ...here(stage) },
        validations: [{ expression: "request.name != 'robot'", messageExpression: dump }],
      })
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
      await api.post(path, { metadata: { name: 'robot' } })
      expect(reasonOf(enforced, await api.post(`${path}/robot/token`, {}))).toBe(
        'CREATE robot inside authentication.k8s.io/v1/TokenRequest /v1/serviceaccounts token wet CreateOptions TokenRequest null',
      )
    }),
  )

  it(
    'outside namespaces',
    on(async (stage) => {
      const { api, unique } = stage
      const labels = { case: unique }
      const match = (scope: string): object => ({
        ...rules(['nodes'], { scope }),
        ...here(stage),
        objectSelector: { matchLabels: labels },
      })
      const validations = [
        {
          expression: "request.operation == 'DELETE'",
          messageExpression: `${dump} + (namespaceObject == null ? ' nowhere' : ' somewhere')`,
        },
      ]
      const name = `${unique}-inside`
      await write(stage, name, { matchConstraints: match('Namespaced'), validations }, {})
      const enforced = await enforce(stage, { matchConstraints: match('Cluster'), validations })
      const made = await api.post('/api/v1/nodes', node(unique, { labels }))
      expect(reasonOf(enforced, made)).toBe(
        `CREATE ${unique} outside /v1/Node /v1/nodes - wet CreateOptions Node null nowhere`,
      )
      await api.post('/api/v1/nodes', node(unique))
      expect((await api.delete(`/api/v1/nodes/${unique}`)).code).toBe(200)
    }),
  )

  it(
    'a namespace is in itself',
    on(async (stage) => {
      const { api, unique } = stage
      const labels = { case: unique }
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['namespaces'], { scope: 'Cluster' }),
          namespaceSelector: { matchLabels: labels },
        },
        validations: [
          {
            expression: 'false',
            messageExpression: `${dump} + ' ' + request.namespace + (namespaceObject == null ? ' nowhere' : ' somewhere')`,
          },
        ],
      })
      const namespace = (more: object = {}): object => ({ metadata: { name: unique, ...more } })
      const path = '/api/v1/namespaces'
      expect(reasonOf(enforced, await api.post(path, namespace({ labels })))).toBe(
        `CREATE ${unique} inside /v1/Namespace /v1/namespaces - wet CreateOptions Namespace null ${unique} nowhere`,
      )
      expect((await api.post(path, namespace())).code).toBe(201)
      const labelled = await api.patch(`${path}/${unique}`, 'merge', { metadata: { labels } })
      expect(reasonOf(enforced, labelled)).toBe(
        `UPDATE ${unique} inside /v1/Namespace /v1/namespaces - wet UpdateOptions Namespace Namespace ${unique} nowhere`,
      )
    }),
  )

  it(
    'operations, names and exceptions',
    on(async (stage) => {
      const { api, namespace } = stage
      const rule = { apiGroups: [''], apiVersions: ['v1'] }
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...here(stage),
          resourceRules: [
            { ...rule, resources: ['configmaps'], operations: ['CREATE'] },
            { ...rule, resources: ['secrets'], operations: ['*'], resourceNames: ['a', 'b'] },
            { ...rule, resources: ['pods', 'pods/status'], operations: ['UPDATE'] },
          ],
          excludeResourceRules: [
            { ...rule, resources: ['*'], operations: ['CREATE'], resourceNames: ['free'] },
          ],
        },
        validations: [{ expression: 'false', message: 'no' }],
      })
      const maps = `/api/v1/namespaces/${namespace}/configmaps`
      const secrets = `/api/v1/namespaces/${namespace}/secrets`
      expect(reasonOf(enforced, await api.post(maps, configMap('a')))).toBe('no')
      expect((await api.post(maps, configMap('free'))).code).toBe(201)
      expect((await api.patch(`${maps}/free`, 'merge', { data: { a: 'b' } })).code).toBe(200)
      expect((await api.delete(`${maps}/free`)).code).toBe(200)
      expect(reasonOf(enforced, await api.post(secrets, { metadata: { name: 'a' } }))).toBe('no')
      expect((await api.post(secrets, { metadata: { name: 'c' } })).code).toBe(201)
    }),
  )

  it(
    'labels of the object, before or after',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['configmaps'], { operations: ['UPDATE', 'DELETE'] }),
          ...here(stage),
          objectSelector: {
            matchExpressions: [{ key: 'guarded', operator: 'In', values: ['yes', 'so'] }],
          },
        },
        validations: [{ expression: 'false', message: 'guarded' }],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', {}, { labels: { guarded: 'yes' } }))
      await api.post(path, configMap('b'))
      const label = (guarded: string | null): object => ({ metadata: { labels: { guarded } } })
      const said = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      expect(await said(api.patch(`${path}/a`, 'merge', label(null)))).toBe('guarded')
      expect(await said(api.patch(`${path}/b`, 'merge', label('so')))).toBe('guarded')
      expect((await api.patch(`${path}/b`, 'merge', label('no'))).code).toBe(200)
      expect(await said(api.delete(`${path}/a`))).toBe('guarded')
      expect((await api.delete(`${path}/b`)).code).toBe(200)
    }),
  )

  it(
    'the binding narrows it',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(
        stage,
        {
          matchConstraints: { ...rules(['configmaps', 'secrets']), ...here(stage) },
          validations: [{ expression: 'false', message: 'bound' }],
        },
        { matchResources: { ...rules(['secrets']), objectSelector: { matchLabels: { a: 'b' } } } },
      )
      expect(
        (await api.post(`/api/v1/namespaces/${namespace}/configmaps`, configMap('a'))).code,
      ).toBe(201)
      const secrets = `/api/v1/namespaces/${namespace}/secrets`
      expect((await api.post(secrets, { metadata: { name: 'a' } })).code).toBe(201)
      const labels = { a: 'b' }
      const denied = await api.post(secrets, { metadata: { name: 'b', labels } })
      expect(reasonOf(enforced, denied)).toBe('bound')
    }),
  )

  it(
    'conditions leave requests alone',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        matchConditions: [
          { name: 'named', expression: "object.data.case == 'yes'" },
          { name: 'nowhere', expression: 'namespaceObject == null' },
          { name: 'odd', expression: "object.data.odd == 'yes'" },
        ],
        validations: [{ expression: 'false', message: 'no' }],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      const said = async (data: Record<string, string>): Promise<string> => {
        const answer = await api.post(path, configMap('a', data))
        return answer.code === 201 ? 'fine' : reasonOf(enforced, answer)
      }
      expect(await said({ case: 'yes', odd: 'yes' })).toBe('no')
      expect(await said({ case: 'no', odd: 'yes' })).toBe('fine')
      expect(await said({ case: 'no' })).toBe('fine')
      expect(await said({ case: 'yes' })).toBe(
        "expression 'object.data.odd == 'yes'' resulted in error: no such key: odd",
      )
      expect(await said({ x: 'y' })).toBe(
        "[expression 'object.data.case == 'yes'' resulted in error: no such key: case, expression 'object.data.odd == 'yes'' resulted in error: no such key: odd]",
      )
    }),
  )

  it(
    'not to policies, bindings and reviews',
    on(async (stage) => {
      const { api, unique } = stage
      await enforce(stage, {
        matchConstraints: rules(['*'], {
          apiGroups: [
            'admissionregistration.k8s.io',
            'authorization.k8s.io',
            'authentication.k8s.io',
          ],
        }),
        validations: [{ expression: 'false' }],
      })
      const review = await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      })
      expect(review.code).toBe(201)
      const self = await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      expect(self.code).toBe(201)
      expect((await api.delete(`${policies}/${unique}-policy`)).code).toBe(200)
    }),
  )
})
