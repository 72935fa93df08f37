import { expect, it } from 'vitest'
import type { Answer } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, node, pod } from '../support/objects.ts'
import {
  enforce,
  here,
  policies,
  reasonOf,
  requestLine,
  rules,
  write,
} from '../support/policies.ts'
import { account } from '../support/service-accounts.ts'

conformance('admission policies and where they match', (on) => {
  it(
    'subresources match by name or by wildcard',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const matchConstraints = (resources: string[]): object => ({
        ...rules(resources),
        ...here(stage),
        objectSelector: { matchLabels: { app: unique } },
      })
      const validations = [
        { expression: "request.operation != 'UPDATE'", messageExpression: requestLine },
      ]
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
    'a scale request contains a Scale',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['deployments/scale']), ...here(stage) },
        validations: [
          {
            expression: 'object.spec.replicas <= 3',
            messageExpression: `${requestLine} + ' ' + string(oldObject.spec.replicas) + ' ' + string(object.spec.replicas)`,
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
    'an eviction is a create of an Eviction, not a deletion',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const enforced = await enforce(
        stage,
        {
          matchConstraints: { ...rules(['pods/eviction']), ...here(stage) },
          validations: [{ expression: "request.name != 'p'", messageExpression: requestLine }],
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
    'a token request contains a TokenRequest',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['serviceaccounts/token']), ...here(stage) },
        validations: [{ expression: "request.name != 'robot'", messageExpression: requestLine }],
      })
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
      await api.post(path, { metadata: { name: 'robot' } })
      expect(reasonOf(enforced, await api.post(`${path}/robot/token`, {}))).toBe(
        'CREATE robot inside authentication.k8s.io/v1/TokenRequest /v1/serviceaccounts token wet CreateOptions TokenRequest null',
      )
    }),
  )

  it(
    'cluster-scoped resources',
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
          messageExpression: `${requestLine} + (namespaceObject == null ? ' nowhere' : ' somewhere')`,
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
    'a Namespace is in the namespace of its own name',
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
            messageExpression: `${requestLine} + ' ' + request.namespace + (namespaceObject == null ? ' nowhere' : ' somewhere')`,
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
    'operations, resource names and exclusions',
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
    'labels of the old or the new object',
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
      const reported = async (answer: Promise<Answer>): Promise<string> =>
        reasonOf(enforced, await answer)
      expect(await reported(api.patch(`${path}/a`, 'merge', label(null)))).toBe('guarded')
      expect(await reported(api.patch(`${path}/b`, 'merge', label('so')))).toBe('guarded')
      expect((await api.patch(`${path}/b`, 'merge', label('no'))).code).toBe(200)
      expect(await reported(api.delete(`${path}/a`))).toBe('guarded')
      expect((await api.delete(`${path}/b`)).code).toBe(200)
    }),
  )

  it(
    'the matchResources of a binding restrict its policy',
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
    'matchConditions skip requests',
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
      const reported = async (data: Record<string, string>): Promise<string> => {
        const answer = await api.post(path, configMap('a', data))
        return answer.code === 201 ? 'fine' : reasonOf(enforced, answer)
      }
      expect(await reported({ case: 'yes', odd: 'yes' })).toBe('no')
      expect(await reported({ case: 'no', odd: 'yes' })).toBe('fine')
      expect(await reported({ case: 'no' })).toBe('fine')
      expect(await reported({ case: 'yes' })).toBe(
        "expression 'object.data.odd == 'yes'' resulted in error: no such key: odd",
      )
      expect(await reported({ x: 'y' })).toBe(
        "[expression 'object.data.case == 'yes'' resulted in error: no such key: case, expression 'object.data.odd == 'yes'' resulted in error: no such key: odd]",
      )
    }),
  )

  it(
    'policies, bindings and reviews are exempt',
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
