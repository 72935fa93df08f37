import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { signingRequest } from '../support/certificate-request.ts'
import type { Stage } from '../support/conformance.ts'
import { conformance } from '../support/conformance.ts'

/** A client of this Node; it has permissions that are irrelevant for these cases. */
const nodeOf = ({ api, target }: Stage, name: string): Api =>
  api.as({
    authorization: `Bearer ${target.token}`,
    'impersonate-user': `system:node:${name}`,
    'impersonate-group': ['system:nodes', 'system:masters'],
  })

const reported = ({ code, body }: Answer): unknown[] => [code, body['reason'], body['message']]
const forbidden = (message: string): unknown[] => [403, 'Forbidden', message]

const node = (name: string, labels: object = {}): object => ({ metadata: { name, labels } })

const pod = (name: string, nodeName: string, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { nodeName, containers: [{ name: 'a', image: 'b' }] },
})

conformance('node restriction', (on) => {
  it(
    '403: writes to another Node',
    on(async (stage) => {
      const { api, unique } = stage
      const own = nodeOf(stage, unique)
      const other = `${unique}-b`
      const no = forbidden(
        `nodes "${other}" is forbidden: node "${unique}" is not allowed to modify node "${other}"`,
      )
      expect(reported(await own.post('/api/v1/nodes', node(other)))).toEqual(no)
      await api.post('/api/v1/nodes', node(other))
      const change = { metadata: { annotations: { a: 'b' } } }
      expect(reported(await own.patch(`/api/v1/nodes/${other}`, 'merge', change))).toEqual(no)
      const status = `/api/v1/nodes/${other}/status`
      expect(reported(await own.patch(status, 'merge', { status: {} }))).toEqual(no)
      expect(reported(await own.delete(`/api/v1/nodes/${other}`))).toEqual(no)
    }),
  )

  it(
    'a kubelet creates its own Node with the labels that kubelets can set',
    on(async (stage) => {
      const { unique } = stage
      const own = nodeOf(stage, unique)
      const labels = {
        'kubernetes.io/hostname': unique,
        'beta.kubernetes.io/os': 'linux',
        'a.node.kubernetes.io/b': '',
        'kubelet.kubernetes.io/c': '',
        'example.com/d': '',
        e: '',
      }
      expect((await own.post('/api/v1/nodes', node(unique, labels))).code).toBe(201)
      const annotations = { 'machinist.dev/a': 'b' }
      const path = `/api/v1/nodes/${unique}`
      expect((await own.patch(path, 'merge', { metadata: { annotations } })).code).toBe(200)
      const conditions = [{ type: 'Ready', status: 'True' }]
      expect((await own.patch(`${path}/status`, 'merge', { status: { conditions } })).code).toBe(
        200,
      )
    }),
  )

  it(
    '403: restricted labels, and taints',
    on(async (stage) => {
      const { api, unique } = stage
      const own = nodeOf(stage, unique)
      const labels = {
        'node-role.kubernetes.io/worker': '',
        'a.node-restriction.kubernetes.io/b': '',
        'x.k8s.io/y': '',
      }
      const listed =
        'a.node-restriction.kubernetes.io/b, node-role.kubernetes.io/worker, x.k8s.io/y'
      expect(reported(await own.post('/api/v1/nodes', node(unique, labels)))).toEqual(
        forbidden(
          `nodes "${unique}" is forbidden: node "${unique}" is not allowed to set the following labels: ${listed}`,
        ),
      )
      await api.post('/api/v1/nodes', node(unique, { 'x.k8s.io/y': 'z' }))
      const path = `/api/v1/nodes/${unique}`
      expect(reported(await own.patch(path, 'merge', { metadata: { labels } }))).toEqual(
        forbidden(`nodes "${unique}" is forbidden: is not allowed to modify labels: ${listed}`),
      )
      const spec = { taints: [{ key: 'a', effect: 'NoSchedule' }] }
      expect(reported(await own.patch(path, 'merge', { spec }))).toEqual(
        forbidden(
          `nodes "${unique}" is forbidden: node "${unique}" is not allowed to modify taints`,
        ),
      )
    }),
  )

  it(
    '403: every Lease but its own',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const own = nodeOf(stage, unique)
      const leases = (place: string): string =>
        `/apis/coordination.k8s.io/v1/namespaces/${place}/leases`
      const lease = (name: string): object => ({ metadata: { name }, spec: {} })
      expect(reported(await own.post(leases(namespace), lease(unique)))).toEqual(
        forbidden(
          `leases.coordination.k8s.io "${unique}" is forbidden: can only access leases in the "kube-node-lease" system namespace`,
        ),
      )
      await api.post(leases(namespace), lease('turn'))
      const change = { spec: { holderIdentity: unique } }
      expect(reported(await own.patch(`${leases(namespace)}/turn`, 'merge', change))).toEqual(
        forbidden(
          'leases.coordination.k8s.io "turn" is forbidden: can only access leases in the "kube-node-lease" system namespace',
        ),
      )
      await api.post('/api/v1/namespaces', { metadata: { name: 'kube-node-lease' } })
      expect(reported(await own.post(leases('kube-node-lease'), lease(`${unique}-b`)))).toEqual(
        forbidden(
          `leases.coordination.k8s.io "${unique}-b" is forbidden: can only access node lease with the same name as the requesting node`,
        ),
      )
      expect((await own.post(leases('kube-node-lease'), lease(unique))).code).toBe(201)
    }),
  )

  it(
    '403: pods of other nodes, and pods that are not mirror pods',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const own = nodeOf(stage, unique)
      const pods = `/api/v1/namespaces/${namespace}/pods`
      const no = (name: string, why: string): unknown[] =>
        forbidden(`pods "${name}" is forbidden: ${why}`)
      await api.post(pods, pod('theirs', 'another'))
      await api.post(pods, pod('mine', unique))
      expect(reported(await own.delete(`${pods}/theirs`))).toEqual(
        no('theirs', `node "${unique}" can only delete pods with spec.nodeName set to itself`),
      )
      const labels = { metadata: { labels: { a: 'b' } } }
      expect(reported(await own.patch(`${pods}/mine`, 'merge', labels))).toEqual(
        no(
          'mine',
          `unexpected operation "UPDATE", node "${unique}" can only create and delete mirror pods`,
        ),
      )
      const status = { status: { phase: 'Running' } }
      expect(reported(await own.patch(`${pods}/theirs/status`, 'merge', status))).toEqual(
        no(
          'theirs',
          `node "${unique}" can only update pod status for pods with spec.nodeName set to itself`,
        ),
      )
      expect((await own.patch(`${pods}/mine/status`, 'merge', status)).code).toBe(200)
      const eviction = { metadata: { name: 'theirs' } }
      expect(reported(await own.post(`${pods}/theirs/eviction`, eviction))).toEqual(
        no('theirs', `node ${unique} can only evict pods with spec.nodeName set to itself`),
      )
      expect(reported(await own.post(pods, pod('new', unique)))).toEqual(
        no(
          'new',
          `pod does not have "kubernetes.io/config.mirror" annotation, node "${unique}" can only create mirror pods`,
        ),
      )
    }),
  )

  it(
    'a kubelet creates mirror pods that it owns and that reference nothing',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const own = nodeOf(stage, unique)
      const pods = `/api/v1/namespaces/${namespace}/pods`
      const { body } = await api.post('/api/v1/nodes', node(unique))
      const { uid } = body.metadata
      const annotations = { 'kubernetes.io/config.mirror': 'x' }
      const owner = { apiVersion: 'v1', kind: 'Node', name: unique, uid, controller: true }
      const mirror = (name: string, ...ownerReferences: object[]): object =>
        pod(name, unique, { annotations, ownerReferences })
      const rejected = async (object: object): Promise<unknown[]> =>
        reported(await own.post(pods, object))
      const no = (why: string): unknown[] => forbidden(`pods "m" is forbidden: ${why}`)
      expect(await rejected(mirror('m'))).toEqual(
        no(`node "${unique}" can only create pods with an owner reference set to itself`),
      )
      expect(await rejected(mirror('m', { ...owner, controller: false }))).toEqual(
        no(`node "${unique}" can only create pods with a controller owner reference set to itself`),
      )
      expect(await rejected(mirror('m', { ...owner, uid: 'u' }))).toEqual(
        no(`node ${unique} UID mismatch: expected u got ${uid}`),
      )
      expect(await rejected(mirror('m', { ...owner, blockOwnerDeletion: true }))).toEqual(
        no(`node "${unique}" must not set blockOwnerDeletion on an owner reference`),
      )
      const secret = { name: 's', secret: { secretName: 's' } }
      const reading = {
        ...mirror('m', owner),
        spec: { nodeName: unique, containers: [{ name: 'a', image: 'b' }], volumes: [secret] },
      }
      expect(await rejected(reading)).toEqual(
        no(`node "${unique}" can not create pods that reference secrets`),
      )
      expect((await own.post(pods, mirror('m', owner))).code).toBe(201)
      expect((await own.delete(`${pods}/m`)).code).toBe(200)
    }),
  )

  it(
    '403: tokens for pods of other nodes',
    on(async (stage) => {
      const { api, namespace, unique } = stage
      const own = nodeOf(stage, unique)
      const place = `/api/v1/namespaces/${namespace}`
      await api.post(`${place}/serviceaccounts`, { metadata: { name: 'robot' } })
      const token = async (boundObjectRef?: object): Promise<unknown[]> =>
        reported(
          await own.post(`${place}/serviceaccounts/robot/token`, { spec: { boundObjectRef } }),
        )
      const no = (why: string): unknown[] =>
        forbidden(`serviceaccounts "robot" is forbidden: ${why}`)
      expect(await token()).toEqual(no('node requested token not bound to a pod'))
      const { body } = await api.post(`${place}/pods`, pod('theirs', 'another'))
      const ref = { apiVersion: 'v1', kind: 'Pod', name: 'theirs' }
      expect(await token(ref)).toEqual(no('node requested token with a pod binding without a uid'))
      expect(await token({ ...ref, uid: 'u' })).toEqual(
        no(
          'the UID in the bound object reference (u) does not match the UID in record. The object might have been deleted and then recreated',
        ),
      )
      expect(await token({ ...ref, uid: body.metadata.uid })).toEqual(
        no('node requested token bound to a pod scheduled on a different node'),
      )
    }),
  )

  it(
    '403: a certificate for another node',
    on(async (stage) => {
      const { unique } = stage
      const own = nodeOf(stage, unique)
      const request = (name: string): object => ({
        metadata: { name: unique },
        spec: {
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['client auth'],
          request: signingRequest(`/O=system:nodes/CN=${name}`),
        },
      })
      const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
      expect(reported(await own.post(path, request('system:node:another')))).toEqual(
        forbidden(
          `certificatesigningrequests.certificates.k8s.io "${unique}" is forbidden: can only create a node CSR with CN=system:node:${unique}`,
        ),
      )
      expect((await own.post(path, request(`system:node:${unique}`))).code).toBe(201)
    }),
  )
})
