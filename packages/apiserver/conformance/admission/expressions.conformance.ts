import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Answer } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import { enforce, here, reasonOf, rules, write } from '../support/policies.ts'
import {
  serveWidgets,
  widget,
  widgetDefinition,
  widgetSpec,
  widgetVersion,
} from '../support/widgets.ts'

/** The policy has one validation per expression; a label selects the one to evaluate. */
const selected = (expression: string, i: number): object => ({
  expression: `!has(object.metadata.labels) || object.metadata.labels.pick != 'p${i}' || (${expression})`,
})

const shown = (expression: string, i: number): string =>
  `!has(object.metadata.labels) || object.metadata.labels.pick != 'p${i}' || (${expression})`

conformance('admission expressions', (on) => {
  it(
    'errors have the messages of kube-apiserver',
    on(async (stage) => {
      const { api, namespace } = stage
      const cases: [expression: string, problem: string][] = [
        ["oldObject.metadata.name == ''", 'no such key: metadata'],
        ["object.data.x == '1'", 'no such key: x'],
        ["object.data['x'] == '1'", 'no such key: x'],
        ["object.data.a.b == 'x'", 'no such key: b'],
        ["request.userInfo.extra['a'] == ['b']", 'no such key: extra'],
        ['[1][5] == 1', 'index out of bounds: 5'],
        ['object.data.a > 1', 'no such overload'],
        ['int(object.data.a) == 1', "type conversion error from 'string' to 'int'"],
        ['1/0 == 1', 'division by zero'],
        ["dyn('x') == 1 || 1/0 == 1", 'division by zero'],
        ["[1, 2].all(i, [1, 2].all(j, object.data.c == 'x'))", 'no such key: c'],
        ["namespaceObject.metadata.UID == ''", 'no such key: UID'],
      ]
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: cases.map(([expression], i) => selected(expression, i)),
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      for (const [i, [expression, problem]] of cases.entries()) {
        const labels = { pick: `p${i}` }
        const answer = await api.post(path, configMap('c', { a: '1a' }, { labels }))
        expect(reasonOf(enforced, answer)).toBe(
          `expression '${shown(expression, i)}' resulted in error: ${problem}`,
        )
      }
    }),
  )

  it(
    'supported functions and operators',
    on(async (stage) => {
      const { api, namespace } = stage
      const holds = [
        "object.apiVersion == 'v1' && object.kind == 'ConfigMap'",
        'object.metadata.name == request.name && object.metadata.namespace == request.namespace',
        "object.data.all(k, k.matches('^[a-z]$')) && object.data.exists(k, object.data[k] == '1a')",
        'object.?spec.?replicas.orValue(3) == 3 && !has(object.spec)',
        'has(object.metadata.managedFields) && has(object.metadata.creationTimestamp)',
        "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == request.namespace",
        "namespaceObject.status.phase == 'Active' && namespaceObject.spec.finalizers == ['kubernetes']",
        "request.requestKind == request.kind && request.requestResource.resource == 'configmaps'",
        "'system:masters' in request.userInfo.groups && !has(request.userInfo.extra)",
        "quantity('1Gi').isGreaterThan(quantity('1Mi')) && isURL('https://example.org/')",
        "object.data.a + object.data.a == '1a1a' && ip('10.0.0.1').family() == 4",
        "dyn(1) != 'a' && oldObject == null && timestamp('2026-01-01T00:00:00Z') < timestamp('2026-01-02T00:00:00Z')",
        "[1, 2, 3].map(i, i * 2).filter(i, i > 2) == [4, 6] && 'a,b'.split(',').size() == 2",
        "sets.contains(['a', 'b'], ['a']) && object.data.a.lowerAscii() == '1a'",
      ]
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: holds.map((expression) => ({ expression })),
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const answer = await api.post(path, configMap('c', { a: '1a' }))
      expect(answer.code === 201 ? 'fine' : reasonOf(enforced, answer)).toBe('fine')
    }),
  )

  it(
    'errors are ignored with failurePolicy Ignore',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        failurePolicy: 'Ignore',
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        matchConditions: [{ name: 'odd', expression: "object.data.odd == 'yes'" }],
        validations: [
          { expression: 'object.data.missing == 1' },
          { expression: "object.metadata.name != 'b'", message: 'not b' },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      const odd = { odd: 'yes' }
      expect((await api.post(path, configMap('b'))).code).toBe(201)
      expect((await api.post(path, configMap('a', odd))).code).toBe(201)
      expect(reasonOf(enforced, await api.post(path, configMap('b', odd)))).toBe('not b')
    }),
  )

  it(
    'variables are evaluated on first use',
    on(async (stage) => {
      const { api, namespace } = stage
      const expression = 'variables.bad == 1'
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        variables: [
          { name: 'never', expression: '1/0' },
          { name: 'names', expression: 'object.data.map(k, k)' },
          { name: 'text', expression: "variables.names.join('+')" },
          { name: 'missing', expression: 'object.nope' },
          { name: 'bad', expression: 'variables.missing' },
        ],
        validations: [
          {
            expression: "variables.text != 'x'",
            messageExpression: "'there is only ' + variables.text",
          },
          { expression: `object.metadata.name != 'bad' || ${expression}` },
        ],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      const reported = async (name: string, data: Record<string, string>): Promise<string> =>
        reasonOf(enforced, await api.post(path, configMap(name, data)))
      expect(await reported('a', { x: '1' })).toBe('there is only x')
      expect((await api.post(path, configMap('a', { y: '1' }))).code).toBe(201)
      expect(await reported('bad', { y: '1' })).toBe(
        `expression 'object.metadata.name != 'bad' || ${expression}' resulted in error: composited variable "bad" fails to evaluate: composited variable "missing" fails to evaluate: no such key: nope`,
      )
    }),
  )

  it(
    'warnings are headers, audit actions are silent',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const spec = (message: string): object => ({
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: [{ expression: "object.metadata.name != 'a'", message }],
      })
      const audit = `${unique}-audit`
      await write(stage, audit, spec('silent'), { validationActions: ['Audit'] })
      const { name } = await enforce(stage, spec('look "here"'), {
        validationActions: ['Warn', 'Audit'],
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      const { code, headers } = await api.post(path, configMap('a'))
      expect(code).toBe(201)
      expect(headers['warning']).toBe(
        `299 - "Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': look \\"here\\""`,
      )
      expect((await api.post(path, configMap('b'))).headers['warning']).toBeUndefined()
    }),
  )

  it(
    'warnings can contain any Unicode text',
    on(async (stage) => {
      const { api, namespace } = stage
      const { name } = await enforce(
        stage,
        {
          matchConstraints: { ...rules(['configmaps']), ...here(stage) },
          validations: [{ expression: 'false', message: 'größer → 界' }],
        },
        { validationActions: ['Warn'] },
      )
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      const { code, headers } = await api.post(path, configMap('a'))
      expect(code).toBe(201)
      const text = Buffer.from(headers['warning'] ?? '', 'latin1').toString('utf8')
      expect(text).toBe(
        `299 - "Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': größer → 界"`,
      )
    }),
  )

  it(
    'expressions can check permissions',
    on(async (stage) => {
      const { api, namespace } = stage
      const account = `authorizer.serviceAccount('${namespace}', 'robot')`
      const holds = [
        "authorizer.group('').resource('pods').namespace('x').check('create').allowed()",
        "authorizer.path('/metrics').check('get').allowed()",
        "authorizer.requestResource.check('create').allowed()",
        `!${account}.group('').resource('pods').subresource('log').name('p').check('get').allowed()`,
        `!${account}.path('/version').check('get').allowed()`,
        `${account}.path('/version').check('get').reason() == ''`,
        `!${account}.path('/nope').check('get').errored()`,
      ]
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: holds.map((expression) => ({ expression })),
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const answer = await api.post(path, configMap('c'))
      expect(answer.code === 201 ? 'fine' : reasonOf(enforced, answer)).toBe('fine')
    }),
  )

  it(
    'expressions have a cost limit',
    on(async (stage) => {
      const { api, namespace } = stage
      const ten = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]'
      const loops = 'abcdefg'.split('').reduceRight((in_, v) => `${ten}.all(${v}, ${in_})`, 'true')
      const check = "authorizer.group('').resource('pods').check('get').allowed()"
      const costly = [loops, `${check} && ${check} && ${check}`]
      const enforced = await enforce(stage, {
        matchConstraints: { ...rules(['configmaps']), ...here(stage) },
        validations: costly.map((expression, i) => selected(expression, i)),
      })
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      for (const [i, expression] of costly.entries()) {
        const answer = await api.post(path, configMap('c', {}, { labels: { pick: `p${i}` } }))
        expect(reasonOf(enforced, answer)).toBe(
          `expression '${shown(expression, i)}' resulted in error: operation cancelled: actual cost limit exceeded`,
        )
      }
    }),
  )

  it(
    'an audit annotation that fails denies the request',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(
        stage,
        {
          matchConstraints: { ...rules(['configmaps']), ...here(stage) },
          auditAnnotations: [{ key: 'colour', valueExpression: 'string(object.data.colour)' }],
        },
        { validationActions: ['Audit'] },
      )
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`
      expect((await api.post(path, configMap('a', { colour: 'red' }))).code).toBe(201)
      expect(reasonOf(enforced, await api.post(path, configMap('a')))).toBe(
        "expression 'string(object.data.colour)' resulted in error: no such key: data",
      )
    }),
  )
})

conformance('admission parameters', (on) => {
  const asks = { expression: 'object.metadata.name != params.data.forbidden', message: 'forbidden' }
  const maps = { apiVersion: 'v1', kind: 'ConfigMap' }

  it(
    'by name, in the namespace of the request or in another',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      await api.post('/api/v1/namespaces', { metadata: { name: unique } })
      await api.post(`/api/v1/namespaces/${unique}/configmaps`, configMap('p', { forbidden: 'b' }))
      await api.post(
        `/api/v1/namespaces/${namespace}/configmaps`,
        configMap('p', { forbidden: 'a' }),
      )
      const spec = {
        paramKind: maps,
        matchConstraints: { ...rules(['secrets']), ...here(stage) },
        validations: [
          {
            ...asks,
            messageExpression: "string(params.metadata.namespace) + ' ' + string(params.kind)",
          },
        ],
      }
      const ref = { name: 'p', parameterNotFoundAction: 'Deny' }
      const other = await enforce(
        stage,
        spec,
        { paramRef: { ...ref, namespace: unique } },
        `${unique}-other`,
      )
      const own = await enforce(stage, spec, { paramRef: ref }, `${unique}-own`)
      const path = `/api/v1/namespaces/${namespace}/secrets?dryRun=All`
      const attempt = (name: string): Promise<Answer> => api.post(path, { metadata: { name } })
      expect(reasonOf(own, await attempt('a'))).toBe(`${namespace} ConfigMap`)
      expect(reasonOf(other, await attempt('b'))).toBe(`${unique} ConfigMap`)
      expect((await attempt('c')).code).toBe(201)
    }),
  )

  it(
    'by selector: the policy is evaluated with each parameter',
    on(async (stage) => {
      const { api, namespace } = stage
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      for (const forbidden of ['a', 'b', 'c']) {
        const labels = { use: forbidden === 'c' ? 'no' : 'yes' }
        await api.post(path, configMap(`p-${forbidden}`, { forbidden }, { labels }))
      }
      const enforced = await enforce(
        stage,
        {
          paramKind: maps,
          matchConstraints: { ...rules(['secrets']), ...here(stage) },
          validations: [asks],
        },
        {
          paramRef: {
            selector: { matchLabels: { use: 'yes' } },
            parameterNotFoundAction: 'Deny',
          },
        },
      )
      const secrets = `/api/v1/namespaces/${namespace}/secrets?dryRun=All`
      const attempt = (name: string): Promise<Answer> => api.post(secrets, { metadata: { name } })
      expect(reasonOf(enforced, await attempt('a'))).toBe('forbidden')
      expect(reasonOf(enforced, await attempt('b'))).toBe('forbidden')
      expect((await attempt('c')).code).toBe(201)
    }),
  )

  it(
    'that do not exist',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const spec = (name: string): object => ({
        paramKind: maps,
        matchConstraints: { ...rules(['secrets'], { resourceNames: [name] }), ...here(stage) },
        validations: [{ expression: 'params == null && false', message: 'asked' }],
      })
      const ref = (parameterNotFoundAction: string): object => ({
        paramRef: { name: 'p', parameterNotFoundAction },
      })
      await write(stage, `${unique}-a`, spec('allow'), ref('Allow'))
      const none = await enforce(stage, spec('none'), {}, `${unique}-n`)
      const deny = await enforce(stage, spec('deny'), ref('Deny'), `${unique}-d`)
      const path = `/api/v1/namespaces/${namespace}/secrets?dryRun=All`
      const attempt = (name: string): Promise<Answer> => api.post(path, { metadata: { name } })
      expect((await attempt('allow')).code).toBe(201)
      expect(reasonOf(none, await attempt('none'))).toBe('asked')
      expect(reasonOf(deny, await attempt('deny'))).toBe(
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
      )
    }),
  )

  it(
    'of namespaced and cluster-scoped kinds',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const spec = (name: string, apiVersion: string, kind: string): object => ({
        paramKind: { apiVersion, kind },
        matchConstraints: { ...rules(['secrets'], { resourceNames: [name] }), ...here(stage) },
        validations: [
          { expression: 'params.spec.size == 7', messageExpression: 'string(params.spec.size)' },
        ],
      })
      const { path: widgets } = await serveWidgets(api, unique, namespace)
      await api.post(widgets, widget(unique, 'w', { size: 5 }))
      const group = `${unique}.example.org/v1`
      const ref = { name: 'w', parameterNotFoundAction: 'Deny' }
      const unknown = `${unique}-unknown`
      await write(stage, unknown, spec('unknown', group, 'Gadget'), { paramRef: ref })
      const placed = { paramRef: { ...ref, namespace: 'x' } }
      const wide = await enforce(stage, spec('wide', 'v1', 'Node'), placed, `${unique}-wide`)
      const custom = await enforce(stage, spec('custom', group, 'Widget'), { paramRef: ref })
      const path = `/api/v1/namespaces/${namespace}/secrets?dryRun=All`
      const attempt = (name: string): Promise<Answer> => api.post(path, { metadata: { name } })
      // Servers learn about new kinds asynchronously.
      const isAsked = async (): Promise<boolean> =>
        reasonOf(custom, await attempt('custom')) === '5'
      await until('widgets are known as parameters', isAsked)
      expect(reasonOf(wide, await attempt('wide'))).toBe(
        'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
      )
      const reported = `ValidatingAdmissionPolicy '${unknown}' denied request: failed to configure policy: failed to find resource referenced by paramKind: '${group}, Kind=Gadget'`
      expect((await attempt('unknown')).body).toEqual(
        failure(422, 'Invalid', `secrets "unknown" is forbidden: ${reported}`, {
          name: 'unknown',
          kind: 'secrets',
          causes: [{ message: reported }],
        }),
      )
    }),
  )
})

conformance('admission policies and versions', (on) => {
  it(
    'another version is equivalent, except with matchPolicy Exact',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const definition = widgetDefinition(unique) as { spec: { versions: object[] } }
      definition.spec.versions.push(widgetVersion(widgetSpec, 'v2', false))
      await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
      const match = (matchPolicy: string): object => ({
        ...rules(['widgets'], { apiGroups: [`${unique}.example.org`], apiVersions: ['v2'] }),
        matchPolicy,
      })
      const validations = [
        {
          expression: 'object.spec.size < 5',
          messageExpression:
            "request.kind.version + ' ' + request.requestKind.version + ' ' + request.resource.version + ' ' + request.requestResource.version + ' ' + string(object.apiVersion)",
        },
      ]
      const exact = `${unique}-exact`
      await write(stage, exact, { matchConstraints: match('Exact'), validations }, {})
      const loose = await enforce(stage, { matchConstraints: match('Equivalent'), validations })
      const path = `/apis/${unique}.example.org/v1/namespaces/${namespace}/widgets`
      const denied = await api.post(path, widget(unique, 'w', { size: 6 }))
      expect(reasonOf(loose, denied)).toBe(`v2 v1 v2 v1 ${unique}.example.org/v2`)
      expect((await api.post(path, widget(unique, 'w', { size: 4 }))).code).toBe(201)
    }),
  )

  it(
    'events of both groups are equivalent',
    on(async (stage) => {
      const { api, namespace } = stage
      const enforced = await enforce(stage, {
        matchConstraints: {
          ...rules(['events'], { apiGroups: ['events.k8s.io'], apiVersions: ['v1'] }),
          ...here(stage),
        },
        validations: [
          {
            expression: "object.note != 'no'",
            messageExpression:
              "request.kind.group + ' ' + request.requestResource.version + ' ' + string(object.regarding.name)",
          },
        ],
      })
      const event = (message: string): object => ({
        metadata: { name: 'e' },
        involvedObject: { kind: 'ConfigMap', name: 'c', namespace },
        message,
      })
      const path = `/api/v1/namespaces/${namespace}/events`
      expect(reasonOf(enforced, await api.post(path, event('no')))).toBe('events.k8s.io v1 c')
      expect((await api.post(path, event('yes'))).code).toBe(201)
    }),
  )
})
