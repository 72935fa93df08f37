import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Answer } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import {
  bindings,
  enforce,
  heeded,
  here,
  policies,
  reasonOf,
  requestLine,
  rules,
} from '../support/policies.ts'

const about = (resource: string, name: string, reported: string): [string, object] => [
  `${resource} "${name}" is forbidden: ${reported}`,
  { name, kind: resource, causes: [{ message: reported }] },
]

const numbers = '1-2-3-4-5-6-7-8-9-0'

conformance('admission policies', (on) => {
  it(
    '422: a denial names the policy and the reason',
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
    '403, 413, 422: the policy sets the reason',
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
    'a policy has no effect without a binding, or after its removal',
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
    'an updated policy takes effect',
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
    'the message is messageExpression, message, or the expression',
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
      for (const [i, [, reported]] of cases.entries()) {
        expect(reasonOf(enforced, await api.post(path, configMap(`c${i}`)))).toBe(reported)
      }
    }),
  )

  it(
    'a create has no oldObject, a delete no object',
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
      const reported = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      expect(await reported(api.put(`${path}/a`, configMap('a', { x: '2' })))).toBe('1 becomes 2')
      expect(await reported(api.patch(`${path}/a`, 'merge', { data: { x: '3' } }))).toBe(
        '1 becomes 3',
      )
      const operations = [{ op: 'replace', path: '/data/x', value: '4' }]
      expect(await reported(api.patch(`${path}/a`, 'json', operations))).toBe('1 becomes 4')
      expect(await reported(api.patch(`${path}/a`, 'strategic', { data: { x: '5' } }))).toBe(
        '1 becomes 5',
      )
      const applied = configMap('a', { x: '6' })
      const force = `${path}/a?fieldManager=me&force=true`
      expect(await reported(api.patch(force, 'apply', applied))).toBe('1 becomes 6')
      expect(await reported(api.delete(`${path}/a`))).toBe('1 goes')
      expect((await api.get(`${path}/a`)).body['data']).toEqual({ x: '1' })
    }),
  )

  it(
    'request has the fields of the request',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [
          {
            expression: "object != null && object.metadata.name == 'kept'",
            messageExpression: requestLine,
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const reported = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      const map = '/v1/ConfigMap /v1/configmaps -'
      expect(await reported(api.post(path, configMap('a')))).toBe(
        `CREATE a inside ${map} wet CreateOptions ConfigMap null`,
      )
      expect(await reported(api.post(`${path}?dryRun=All`, configMap('a')))).toBe(
        `CREATE a inside ${map} dry CreateOptions ConfigMap null`,
      )
      expect(await reported(api.patch(`${path}/a?fieldManager=x`, 'apply', configMap('a')))).toBe(
        `CREATE a inside ${map} wet CreateOptions ConfigMap null`,
      )
      expect((await api.post(path, configMap('kept'))).code).toBe(201)
      expect(await reported(api.delete(`${path}/kept`))).toBe(
        `DELETE kept inside ${map} wet DeleteOptions null ConfigMap`,
      )
      expect(await reported(api.delete(`${path}/kept`, { dryRun: ['All'] }))).toBe(
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
    'request.options are the options of the client',
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
      const reported = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      const query = 'fieldManager=me&fieldValidation=Strict&dryRun=All'
      expect(await reported(api.post(`${path}?${query}`, configMap('b')))).toBe(
        'meta.k8s.io/v1 me Strict - -1 All',
      )
      expect(await reported(api.patch(`${path}/a?fieldManager=me`, 'merge', {}))).toBe(
        'meta.k8s.io/v1 me - - -1 -',
      )
      const deletion = { gracePeriodSeconds: 7, propagationPolicy: 'Background' }
      expect(await reported(api.delete(`${path}/a`, deletion))).toBe(
        'meta.k8s.io/v1 - - Background 7 -',
      )
    }),
  )

  it(
    'request.userInfo is the requesting user',
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
    'a deletecollection has no name',
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
    'validation errors come before policies',
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
