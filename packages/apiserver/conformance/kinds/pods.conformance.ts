import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { causesOf, goodLabel, goodQualifiedName, goodSubdomain } from '../support/causes.ts'
import { conformance } from '../support/conformance.ts'
import { failure, pod } from '../support/objects.ts'

const podsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`

const bind = (api: Api, namespace: string, name: string, binding: object): Promise<Answer> =>
  api.post(`${podsOf(namespace)}/${name}/binding`, binding)

conformance('pods', (on) => {
  it(
    '422: without containers',
    on(async ({ api, namespace }) => {
      const made = await api.post(podsOf(namespace), { metadata: { name: 'p' } })
      expect(causesOf(made)).toEqual(['spec.containers: Required value'])
    }),
  )

  it(
    '422: invalid containers',
    on(async ({ api, namespace }) => {
      const ports = [
        { containerPort: 0 },
        { containerPort: 80, protocol: 'X' },
        { containerPort: 70000, name: 'A' },
      ]
      const containers = [
        {},
        { name: 'A_', image: 'x' },
        { name: 'a', image: 'x' },
        { name: 'a', image: 'x', imagePullPolicy: 'Z', terminationMessagePolicy: 'Q', ports },
      ]
      expect(causesOf(await api.post(podsOf(namespace), pod('p', {}, { containers })))).toEqual([
        'spec.containers[0].name: Required value',
        'spec.containers[0].image: Required value',
        `spec.containers[1].name: Invalid value: "A_": ${goodLabel}`,
        'spec.containers[3].terminationMessagePolicy: Unsupported value: "Q": supported values: "File", "FallbackToLogsOnError"',
        'spec.containers[3].ports[0].containerPort: Required value',
        'spec.containers[3].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        'spec.containers[3].ports[2].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.containers[3].ports[2].name: Invalid value: "A": must contain at least one letter (a-z)',
        'spec.containers[3].ports[2].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.containers[3].imagePullPolicy: Unsupported value: "Z": supported values: "Always", "IfNotPresent", "Never"',
        'spec.containers[3].name: Duplicate value: "a"',
      ])
    }),
  )

  it(
    '422: invalid policies and names',
    on(async ({ api, namespace }) => {
      const spec = {
        restartPolicy: 'No',
        dnsPolicy: 'Z',
        nodeName: 'A_b',
        nodeSelector: { 'a b': 'c' },
        serviceAccountName: 'A',
        initContainers: [{ name: 'main', image: 'x' }],
        activeDeadlineSeconds: 0,
      }
      expect(causesOf(await api.post(podsOf(namespace), pod('p', {}, spec)))).toEqual([
        'spec.initContainers[0].name: Duplicate value: "main"',
        'spec.restartPolicy: Unsupported value: "No": supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "Z": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        `spec.nodeSelector: Invalid value: "a b": ${goodQualifiedName}`,
        `spec.serviceAccountName: Invalid value: "A": ${goodSubdomain}`,
        `spec.nodeName: Invalid value: "A_b": ${goodSubdomain}`,
        'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      ])
      const spaced = pod('p', {}, { containers: [{ name: 'a', image: ' x ' }] })
      expect(causesOf(await api.post(podsOf(namespace), spaced))).toEqual([
        'spec.containers[0].image: Invalid value: " x ": must not have leading or trailing whitespace',
      ])
    }),
  )

  it(
    '422: mounts without volumes, and invalid host ports',
    on(async ({ api, namespace }) => {
      const error = async (spec: object): Promise<string[]> =>
        causesOf(await api.post(podsOf(namespace), pod('p', {}, spec)))
      const mounting = (volumeMounts: object[]): object[] => [
        { name: 'a', image: 'b', volumeMounts },
      ]
      const containers = mounting([{ name: 'x', mountPath: '/x' }])
      expect(await error({ containers })).toEqual([
        'spec.containers[0].volumeMounts[0].name: Not found: "x"',
      ])
      expect(
        await error({
          volumes: [{ name: 'x' }, { name: 'x', emptyDir: {} }, {}],
          containers: mounting([{ name: 'x' }]),
        }),
      ).toEqual([
        'spec.volumes[1].name: Duplicate value: "x"',
        'spec.volumes[2].name: Required value',
        'spec.containers[0].volumeMounts[0].mountPath: Required value',
      ])
      const ports = [{ containerPort: 80, hostPort: 81 }]
      const onHost = { hostNetwork: true, containers: [{ name: 'a', image: 'b', ports }] }
      expect(await error(onHost)).toEqual([
        'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
      ])
      const good = await api.post(
        podsOf(namespace),
        pod(
          'p',
          {},
          {
            hostNetwork: true,
            volumes: [{ name: 'x' }],
            containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 80 }] }],
          },
        ),
      )
      expect(good.body.spec).toMatchObject({
        volumes: [{ name: 'x', emptyDir: {} }],
        containers: [{ ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
      })
    }),
  )

  it(
    '422: invalid tolerations',
    on(async ({ api, namespace }) => {
      const tolerations = [
        { key: 'a', operator: 'Exists', value: 'x' },
        { operator: 'Equal' },
        { key: 'a', effect: 'Q' },
        { key: 'a', operator: 'Exists', tolerationSeconds: 1 },
        { key: 'a', operator: 'Like' },
      ]
      const made = await api.post(podsOf(namespace), pod('p', {}, { tolerations }))
      expect(causesOf(made)).toEqual([
        'spec.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
        'spec.tolerations[1].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        'spec.tolerations[2].effect: Unsupported value: "Q": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        'spec.tolerations[3].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        'spec.tolerations[4].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
      ])
    }),
  )

  it(
    'allow changes of image, deadlines and tolerations',
    on(async ({ api, namespace }) => {
      await api.post(podsOf(namespace), pod('p'))
      const path = `${podsOf(namespace)}/p`
      const image = { spec: { containers: [{ name: 'main', image: 'example.org/main:2' }] } }
      expect((await api.patch(path, 'strategic', image)).code).toBe(200)
      const deadline = (seconds: number | null): Promise<Answer> =>
        api.patch(path, 'merge', { spec: { activeDeadlineSeconds: seconds } })
      expect((await deadline(10)).code).toBe(200)
      expect(causesOf(await deadline(20))).toEqual([
        'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value',
      ])
      expect(causesOf(await deadline(null))).toEqual([
        'spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value',
      ])
      const more = { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } }
      expect((await api.patch(path, 'strategic', more)).code).toBe(200)
      const none = await api.patch(path, 'merge', { spec: { tolerations: [] } })
      expect(causesOf(none)).toEqual([
        'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ])
    }),
  )

  it(
    '422: other changes',
    on(async ({ api, namespace }) => {
      await api.post(podsOf(namespace), pod('p'))
      const path = `${podsOf(namespace)}/p`
      const two = [
        { name: 'main', image: 'example.org/main:1' },
        { name: 'b', image: 'x' },
      ]
      const added = await api.patch(path, 'merge', { spec: { containers: two } })
      expect(causesOf(added)).toEqual([
        'spec.containers: Forbidden: pod updates may not add or remove containers',
      ])
      const later = { spec: { terminationGracePeriodSeconds: 5 } }
      const moved = await api.patch(path, 'merge', later)
      expect(moved.body['message']).toContain(
        'Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n',
      )
      const better = { status: { qosClass: 'Guaranteed' } }
      expect(causesOf(await api.patch(`${path}/status`, 'merge', better))).toEqual([
        'status.qosClass: Invalid value: "Guaranteed": field is immutable',
      ])
    }),
  )
})

conformance('bindings', (on) => {
  it(
    'assign a pod to a node',
    on(async ({ api, namespace }) => {
      await api.post(podsOf(namespace), pod('p', { app: 'x' }))
      const { code, body } = await bind(api, namespace, 'p', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p', annotations: { by: 'a case' }, labels: { ignored: 'yes' } },
        target: { kind: 'Node', name: 'n1' },
      })
      expect({ code, ...body }).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        code: 201,
      })
      const bound = await api.get(`${podsOf(namespace)}/p`)
      expect(bound.body.spec['nodeName']).toBe('n1')
      expect(bound.body.metadata.annotations).toEqual({ by: 'a case' })
      expect(bound.body.metadata.labels).toEqual({ app: 'x' })
      expect(bound.body.metadata.managedFields).toHaveLength(1)
      expect(bound.body.status['conditions']).toEqual([
        {
          type: 'PodScheduled',
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: expect.stringMatching(/Z$/),
        },
      ])
    }),
  )

  it(
    '409: only once, and not during deletion',
    on(async ({ api, namespace }) => {
      await api.post(podsOf(namespace), pod('p'))
      const to = (name: string): object => ({ metadata: { name: 'p' }, target: { name } })
      const dry = await api.post(`${podsOf(namespace)}/p/binding?dryRun=All`, to('n0'))
      expect(dry.code).toBe(201)
      expect((await bind(api, namespace, 'p', to('n1'))).code).toBe(201)
      expect((await bind(api, namespace, 'p', to('n2'))).body).toEqual(
        failure(
          409,
          'Conflict',
          'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
          { name: 'p', kind: 'pods/binding' },
        ),
      )
      await api.delete(`${podsOf(namespace)}/p`)
      expect((await bind(api, namespace, 'p', to('n2'))).body['message']).toBe(
        'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
      )
    }),
  )

  it(
    '400: must match the pod of the path',
    on(async ({ api, namespace }) => {
      const target = { name: 'n1' }
      const absent = await bind(api, namespace, 'p', { metadata: { name: 'p' }, target })
      expect(absent.body['message']).toBe('pods "p" not found')
      await api.post(podsOf(namespace), pod('p'))
      const other = await bind(api, namespace, 'p', { metadata: { name: 'q' }, target })
      expect(other.body).toEqual(
        failure(400, 'BadRequest', 'name in URL does not match name in Binding object'),
      )
      const uid = '00000000-0000-0000-0000-000000000000'
      const former = await bind(api, namespace, 'p', { metadata: { name: 'p', uid }, target })
      expect(former.code).toBe(409)
      const nowhere = await bind(api, namespace, 'p', {
        metadata: { name: 'p' },
        target: { kind: 'Pod' },
      })
      expect(nowhere.code).toBe(500)
      expect(nowhere.body['message']).toBe(
        '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
      )
      expect((await api.get(`${podsOf(namespace)}/p/binding`)).code).toBe(405)
    }),
  )
})
