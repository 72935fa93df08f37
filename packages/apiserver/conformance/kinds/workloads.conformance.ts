import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { causesOf, goodQualifiedName } from '../support/causes.ts'
import { conformance } from '../support/conformance.ts'

const kinds = ['deployments', 'replicasets', 'daemonsets'] as const

const pathOf = (namespace: string, kind: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/${kind}`

const pods = { containers: [{ name: 'a', image: 'b' }] }
const template = { metadata: { labels: { a: 'b' } }, spec: pods }
const selector = { matchLabels: { a: 'b' } }

const make = (api: Api, path: string, spec?: object): Promise<Answer> =>
  api.post(path, { metadata: { name: 'w' }, ...(spec && { spec }) })

const mismatch =
  'spec.template.metadata.labels: Invalid value: map[string]string{"a":"b"}: `selector` does not match template `labels`'

conformance('workloads', (on) => {
  it(
    '422: a missing selector',
    on(async ({ api, namespace }) => {
      const nothing = [
        'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ]
      const missing = 'spec.selector: Required value'
      const reported = async (kind: string): Promise<string[]> =>
        causesOf(await make(api, pathOf(namespace, kind)))
      expect(await reported('deployments')).toEqual([missing, ...nothing])
      expect(await reported('replicasets')).toEqual([missing, ...nothing])
      expect(await reported('daemonsets')).toEqual(nothing)
      const empty = await make(api, pathOf(namespace, 'deployments'), { selector: {}, template })
      expect(causesOf(empty)).toEqual([
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ])
    }),
  )

  it(
    '422: a selector that does not match the template',
    on(async ({ api, namespace }) => {
      for (const kind of kinds) {
        const spec = { selector: { matchLabels: { a: 'c' } }, template }
        expect(causesOf(await make(api, pathOf(namespace, kind), spec))).toEqual([mismatch])
      }
    }),
  )

  it(
    '422: an invalid selector',
    on(async ({ api, namespace }) => {
      const broken = {
        matchLabels: { 'a b': 'c' },
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'Foo' },
          { key: 'a', operator: 'Exists', values: ['x'] },
        ],
      }
      const made = await make(api, pathOf(namespace, 'deployments'), {
        selector: broken,
        template,
      })
      const requirement = 'v1.LabelSelectorRequirement'
      expect(causesOf(made)).toEqual([
        `spec.selector.matchLabels: Invalid value: "a b": ${goodQualifiedName}`,
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.selector.matchExpressions[1].operator: Invalid value: "Foo": not a valid selector operator',
        "spec.selector.matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        `spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a b":"c"}, MatchExpressions:[]${requirement}{${requirement}{Key:"a", Operator:"In", Values:[]string(nil)}, ${requirement}{Key:"a", Operator:"Foo", Values:[]string(nil)}, ${requirement}{Key:"a", Operator:"Exists", Values:[]string{"x"}}}}: invalid label selector`,
      ])
    }),
  )

  it(
    '422: a changed selector',
    on(async ({ api, namespace }) => {
      for (const kind of kinds) {
        const path = pathOf(namespace, kind)
        expect((await make(api, path, { selector, template })).code).toBe(201)
        const changed = await api.patch(`${path}/w`, 'merge', {
          spec: {
            selector: { matchLabels: { c: 'd' } },
            template: { metadata: { labels: { c: 'd' } } },
          },
        })
        expect(causesOf(changed)).toEqual([
          'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b", "c":"d"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
        ])
      }
    }),
  )

  it(
    '422: a restartPolicy other than Always',
    on(async ({ api, namespace }) => {
      const ending = { ...pods, restartPolicy: 'Never', activeDeadlineSeconds: 4 }
      const spec = { selector, template: { ...template, spec: ending } }
      for (const [kind, owner] of [
        ['deployments', 'ReplicaSet'],
        ['daemonsets', 'DaemonSet'],
      ] as const) {
        expect(causesOf(await make(api, pathOf(namespace, kind), spec))).toEqual([
          'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
          `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${owner} is not Supported`,
        ])
      }
    }),
  )

  it(
    '422: negative numbers',
    on(async ({ api, namespace }) => {
      const atLeast = 'Invalid value: -1: must be greater than or equal to 0'
      const made = await make(api, pathOf(namespace, 'deployments'), {
        selector,
        template,
        replicas: -1,
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
        strategy: { type: 'Recreate', rollingUpdate: {} },
      })
      expect(causesOf(made)).toEqual([
        `spec.replicas: ${atLeast}`,
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        `spec.minReadySeconds: ${atLeast}`,
        `spec.revisionHistoryLimit: ${atLeast}`,
      ])
      const still = { rollingUpdate: { maxUnavailable: 0 } }
      const set = await make(api, pathOf(namespace, 'daemonsets'), {
        selector,
        template,
        minReadySeconds: -1,
        updateStrategy: still,
      })
      expect(causesOf(set)).toEqual([
        `spec.minReadySeconds: ${atLeast}`,
        'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
      ])
    }),
  )

  it(
    'a DaemonSet counts its template generations',
    on(async ({ api, namespace }) => {
      const path = pathOf(namespace, 'daemonsets')
      const made = await make(api, path, { selector, template })
      const counted = ({ body }: Answer): string | undefined =>
        body.metadata.annotations?.['deprecated.daemonset.template.generation']
      expect(counted(made)).toBe('1')
      const same = await api.patch(`${path}/w`, 'merge', { spec: { minReadySeconds: 1 } })
      expect(counted(same)).toBe('1')
      const other = { spec: { template: { metadata: { labels: { c: 'd' } } } } }
      expect(counted(await api.patch(`${path}/w`, 'merge', other))).toBe('2')
    }),
  )
})
