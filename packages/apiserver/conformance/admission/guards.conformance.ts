import { expect, it } from 'vitest'
import type { Answer } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import { pool, withOurDefinitions } from '../support/our-definitions.ts'
import { enforce, here, reasonOf, rules } from '../support/policies.ts'

const group = 'machineconfiguration.openshift.io'
const nodes = `/apis/${group}/v1/machineconfignodes`
const pools = `/apis/${group}/v1/machineconfigpools`
const role = `${group}/role`
const nodeClaim = 'authentication.kubernetes.io/node-name'

const machineConfigNode = (name: string, labels: object, desired = 'rendered-1'): object => ({
  apiVersion: `${group}/v1`,
  kind: 'MachineConfigNode',
  metadata: { name, labels },
  spec: {
    node: { name },
    pool: { name: 'worker' },
    configVersion: { desired },
  },
})

/** Policies that protect the machine configuration of a cluster. */
conformance('admission guards', (on) => {
  it(
    'boot images are updated only on supported platforms',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { api, namespace, unique } = stage
      const labels = { case: unique }
      await api.post(
        `/api/v1/namespaces/${namespace}/configmaps`,
        configMap('infrastructure', { platform: 'None' }),
      )
      const { denied } = await enforce(
        stage,
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          matchConstraints: {
            ...rules(['machineconfigurations'], { apiGroups: ['operator.openshift.io'] }),
            objectSelector: { matchLabels: labels },
          },
          validations: [
            {
              expression:
                "!has(object.spec.managedBootImages) || params.data.platform in ['AWS', 'GCP', 'Azure', 'VSphere']",
              messageExpression: "'not on platform ' + string(params.data.platform)",
              reason: 'Forbidden',
            },
          ],
        },
        { paramRef: { name: 'infrastructure', namespace, parameterNotFoundAction: 'Deny' } },
      )
      const path = '/apis/operator.openshift.io/v1/machineconfigurations?dryRun=All'
      const attempt = (spec: object): Promise<Answer> =>
        api.post(path, {
          apiVersion: 'operator.openshift.io/v1',
          kind: 'MachineConfiguration',
          metadata: { name: 'cluster', labels },
          spec: { managementState: 'Managed', ...spec },
        })
      const { code, body } = await attempt({ managedBootImages: { machineManagers: [] } })
      const reported = denied('not on platform None')
      expect(code).toBe(403)
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          `machineconfigurations.operator.openshift.io "cluster" is forbidden: ${reported}`,
          {
            name: 'cluster',
            group: 'operator.openshift.io',
            kind: 'machineconfigurations',
            causes: [{ message: reported }],
          },
        ),
      )
      expect((await attempt({})).code).toBe(201)
    }),
  )

  it(
    'the credentials of a node write only its own objects',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { api, unique, target } = stage
      const labels = { case: unique }
      const daemon = `system:serviceaccount:${stage.namespace}:daemon`
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['machineconfignodes', 'machineconfignodes/status'], {
            apiGroups: [group],
            operations: ['CREATE', 'UPDATE'],
          }),
          objectSelector: { matchLabels: labels },
        },
        matchConditions: [
          { name: 'daemon', expression: `request.userInfo.username == '${daemon}'` },
        ],
        variables: [
          {
            name: 'claimed',
            expression: `request.userInfo.?extra[?'${nodeClaim}'][?0].orValue('')`,
          },
        ],
        validations: [
          {
            expression: "variables.claimed != ''",
            message: 'this credential belongs to no node',
          },
          {
            expression: 'object.metadata.name == variables.claimed',
            messageExpression:
              "'node ' + variables.claimed + ' may not write ' + string(object.metadata.name)",
          },
        ],
      })
      const daemonOn = (node?: string): typeof api =>
        api.as({
          authorization: `Bearer ${target.token}`,
          'impersonate-user': daemon,
          'impersonate-group': 'system:masters',
          ...(node && { 'impersonate-extra-authentication.kubernetes.io%2fnode-name': node }),
        })
      const name = `${unique}-1`
      const made = await daemonOn(name).post(nodes, machineConfigNode(name, labels))
      expect(made.code).toBe(201)
      const change = { spec: { configVersion: { desired: 'rendered-2' } } }
      const change3 = { spec: { configVersion: { desired: 'rendered-3' } } }
      const other = await daemonOn(`${unique}-2`).patch(`${nodes}/${name}`, 'merge', change)
      expect(reasonOf(enforced, other)).toBe(`node ${unique}-2 may not write ${name}`)
      const nobody = await daemonOn().patch(`${nodes}/${name}`, 'merge', change)
      expect(reasonOf(enforced, nobody)).toBe('this credential belongs to no node')
      const status = { status: { observedGeneration: 1 } }
      const below = await daemonOn(`${unique}-2`).patch(`${nodes}/${name}/status`, 'merge', status)
      expect(reasonOf(enforced, below)).toBe(`node ${unique}-2 may not write ${name}`)
      expect((await daemonOn(name).patch(`${nodes}/${name}`, 'merge', change)).code).toBe(200)
      expect((await api.patch(`${nodes}/${name}`, 'merge', change3)).code).toBe(200)
    }),
  )

  it(
    'a custom pool inherits from the worker pool',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { api, unique } = stage
      const selector = 'object.spec.machineConfigSelector'
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['machineconfigpools'], { operations: ['CREATE', 'UPDATE'] }),
          objectSelector: { matchLabels: { case: unique } },
        },
        variables: [
          {
            name: 'byLabel',
            expression: `has(${selector}.matchLabels) && '${role}' in ${selector}.matchLabels && ${selector}.matchLabels['${role}'] in ['master', 'worker', 'arbiter']`,
          },
          {
            name: 'byExpression',
            expression: `has(${selector}.matchExpressions) && ${selector}.matchExpressions.exists(e, e.key == '${role}' && (e.operator == 'In' && e.values.exists(v, v == 'worker') || e.operator == 'NotIn' && !e.values.exists(v, v == 'worker')))`,
          },
        ],
        validations: [
          {
            expression: 'variables.byLabel || variables.byExpression',
            message: 'the pool must select the configs of a basic role',
          },
        ],
      })
      const attempt = (machineConfigSelector: object): Promise<Answer> => {
        const made = pool(`${unique}-pool`, { machineConfigSelector }) as { metadata: object }
        made.metadata = { ...made.metadata, labels: { case: unique } }
        return api.post(`${pools}?dryRun=All`, made)
      }
      const expression = (operator: string, values: string[]): object => ({
        matchExpressions: [{ key: role, operator, values }],
      })
      for (const good of [
        { matchLabels: { [role]: 'worker' } },
        expression('In', ['worker', 'infra']),
        expression('NotIn', ['infra']),
      ]) {
        expect((await attempt(good)).code).toBe(201)
      }
      for (const bad of [
        {},
        { matchLabels: { [role]: 'infra' } },
        { matchLabels: { other: 'worker' } },
        expression('In', ['infra']),
        expression('NotIn', ['worker']),
      ]) {
        expect(reasonOf(enforced, await attempt(bad))).toBe(
          'the pool must select the configs of a basic role',
        )
      }
    }),
  )

  it(
    'protected objects are not deleted, one by one or as a collection',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { api, unique } = stage
      const labels = { case: unique }
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['pinnedimagesets'], { operations: ['DELETE'], apiGroups: [group] }),
          objectSelector: { matchLabels: labels },
        },
        validations: [{ expression: 'false', message: 'this one stays' }],
      })
      const path = `/apis/${group}/v1/pinnedimagesets`
      const image = `example.org/a@sha256:${'0'.repeat(64)}`
      const set = { metadata: { name: unique, labels }, spec: { pinnedImages: [{ name: image }] } }
      const made = { apiVersion: `${group}/v1`, kind: 'PinnedImageSet', ...set }
      expect((await api.post(path, made)).code).toBe(201)
      expect(reasonOf(enforced, await api.delete(`${path}/${unique}`))).toBe('this one stays')
      const all = await api.delete(`${path}?labelSelector=case%3D${unique}`)
      expect(reasonOf(enforced, all)).toBe('this one stays')
      expect((await api.get(`${path}/${unique}`)).code).toBe(200)
    }),
  )

  it(
    'only the operator changes its own objects',
    on(async (stage) => {
      const { api, namespace, target } = stage
      const operator = `system:serviceaccount:${namespace}:operator`
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['configmaps'], { operations: ['UPDATE'], resourceNames: ['guarded'] }),
          ...here(stage),
        },
        validations: [
          {
            expression: `request.userInfo.username == '${operator}' || object.data == oldObject.data`,
            messageExpression: "request.userInfo.username + ' is not the operator'",
            reason: 'Forbidden',
          },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('guarded', { a: '1' }))
      const as = (user: string): typeof api =>
        api.as({
          authorization: `Bearer ${target.token}`,
          'impersonate-user': user,
          'impersonate-group': 'system:masters',
        })
      const change = { data: { a: '2' } }
      const denied = await as('jane').patch(`${path}/guarded`, 'merge', change)
      expect(denied.code).toBe(403)
      expect(reasonOf(enforced, denied)).toBe('jane is not the operator')
      const label = { metadata: { labels: { a: 'b' } } }
      expect((await as('jane').patch(`${path}/guarded`, 'merge', label)).code).toBe(200)
      expect((await as(operator).patch(`${path}/guarded`, 'merge', change)).code).toBe(200)
    }),
  )

  it(
    'a referenced name must exist',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { api, namespace, unique } = stage
      await api.post(
        `/api/v1/namespaces/${namespace}/configmaps`,
        configMap('streams', { names: 'stable,next' }),
      )
      const enforced = await enforce(
        stage,
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          matchConstraints: {
            ...rules(['machineconfigpools']),
            objectSelector: { matchLabels: { case: unique } },
          },
          validations: [
            {
              expression:
                "object.metadata.annotations['stream'] in string(params.data.names).split(',')",
              messageExpression:
                "'no stream ' + string(object.metadata.annotations['stream']) + ', there are ' + string(params.data.names)",
            },
          ],
        },
        { paramRef: { name: 'streams', namespace, parameterNotFoundAction: 'Deny' } },
      )
      const attempt = (stream: string): Promise<Answer> => {
        const made = pool(`${unique}-pool`) as { metadata: object }
        made.metadata = { ...made.metadata, labels: { case: unique }, annotations: { stream } }
        return api.post(`${pools}?dryRun=All`, made)
      }
      expect(reasonOf(enforced, await attempt('old'))).toBe('no stream old, there are stable,next')
      expect((await attempt('next')).code).toBe(201)
    }),
  )

  it(
    'kubectl prints the reason',
    on(async (stage) => {
      const { kubectl, namespace } = stage
      const { name } = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [{ expression: "object.metadata.name != 'a'", message: 'not this name' }],
      })
      const { code, stderr } = await kubectl('create', 'configmap', 'a', '-n', namespace)
      expect(code).toBe(1)
      expect(stderr).toBe(
        `error: failed to create configmap: configmaps "a" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: not this name\n`,
      )
    }),
  )
})
