import { expect, it } from 'vitest'
import { until } from '../support/until.ts'
import type { Body } from './api.ts'
import { conformance } from './conformance.ts'
import { serveWidgets } from './widgets.ts'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

interface Discovered {
  resource: string
  responseKind: { group: string; version: string; kind: string }
  scope: string
  singularResource: string
  shortNames?: string[]
  categories?: string[]
  verbs: string[]
  subresources?: { subresource: string; verbs: string[]; responseKind: { kind: string } }[]
}

interface Legacy {
  name: string
  singularName: string
  namespaced: boolean
  kind: string
  group?: string
  version?: string
  verbs: string[]
  shortNames?: string[]
}

function resourceIn(list: Body, group: string, version: string, resource: string): Discovered {
  const versions = (list.items.find(({ metadata }) => (metadata.name ?? '') === group)?.[
    'versions'
  ] ?? []) as { version: string; resources: Discovered[] }[]
  const found = versions
    .find((one) => one.version === version)
    ?.resources.find((one) => one.resource === resource)
  if (!found) throw new Error(`${group}/${version} ${resource} is not in the discovery`)
  return found
}

const everyVerb = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

/** What both servers have: group, version, resource, kind, scope, short names. */
const shared = [
  ' v1 configmaps ConfigMap Namespaced cm',
  ' v1 events Event Namespaced ev',
  ' v1 namespaces Namespace Cluster ns',
  ' v1 nodes Node Cluster no',
  ' v1 pods Pod Namespaced po',
  ' v1 secrets Secret Namespaced ',
  ' v1 serviceaccounts ServiceAccount Namespaced sa',
  'apiextensions.k8s.io v1 customresourcedefinitions CustomResourceDefinition Cluster crd,crds',
  'apps v1 daemonsets DaemonSet Namespaced ds',
  'apps v1 deployments Deployment Namespaced deploy',
  'certificates.k8s.io v1 certificatesigningrequests CertificateSigningRequest Cluster csr',
  'coordination.k8s.io v1 leases Lease Namespaced ',
  'events.k8s.io v1 events Event Namespaced ev',
  'policy v1 poddisruptionbudgets PodDisruptionBudget Namespaced pdb',
  'rbac.authorization.k8s.io v1 clusterrolebindings ClusterRoleBinding Cluster ',
  'rbac.authorization.k8s.io v1 clusterroles ClusterRole Cluster ',
  'rbac.authorization.k8s.io v1 rolebindings RoleBinding Namespaced ',
  'rbac.authorization.k8s.io v1 roles Role Namespaced ',
]

conformance('discovery', (on) => {
  it(
    'aggregated: the headers say what it is',
    on(async ({ api }) => {
      const { code, headers, body } = await api.get('/apis', { accept: aggregated })
      expect(code).toBe(200)
      expect(headers['content-type']).toBe(aggregated)
      expect(headers['etag']).toMatch(/^"[0-9A-F]+"$/)
      expect(headers['vary']).toBe('Accept')
      expect(body).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
      })
    }),
  )

  it(
    'aggregated: who has it already is told so',
    on(async ({ api }) => {
      const { headers } = await api.get('/api', { accept: aggregated })
      const again = await api.get('/api', {
        accept: aggregated,
        'if-none-match': headers['etag'] ?? '',
      })
      expect(again.code).toBe(304)
      expect(again.text).toBe('')
    }),
  )

  it(
    'aggregated: the kinds that everybody needs',
    on(async ({ api }) => {
      const core = (await api.get('/api', { accept: aggregated })).body
      const groups = (await api.get('/apis', { accept: aggregated })).body
      const described = shared.map((line) => {
        const [group = '', version = '', resource = ''] = line.split(' ')
        const found = resourceIn(group === '' ? core : groups, group, version, resource)
        expect(found.verbs).toEqual(resource === 'namespaces' ? withoutCollection : everyVerb)
        const { responseKind, scope, shortNames = [] } = found
        return `${group} ${version} ${resource} ${responseKind.kind} ${scope} ${shortNames.join(',')}`
      })
      expect(described).toEqual(shared)
    }),
  )

  it(
    'aggregated: pods and what can be done to them',
    on(async ({ api }) => {
      const { body } = await api.get('/api', { accept: aggregated })
      const pods = resourceIn(body, '', 'v1', 'pods')
      expect(pods).toMatchObject({ singularResource: 'pod', categories: ['all'] })
      const eviction = pods.subresources?.find(({ subresource }) => subresource === 'eviction')
      expect(eviction).toEqual({
        subresource: 'eviction',
        responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        verbs: ['create'],
      })
      const status = pods.subresources?.find(({ subresource }) => subresource === 'status')
      expect(status?.verbs).toEqual(['get', 'patch', 'update'])
    }),
  )

  it(
    'legacy: versions and groups',
    on(async ({ api }) => {
      const core = await api.get('/api')
      expect(core.headers['content-type']).toBe('application/json')
      expect(core.body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
      const { body } = await api.get('/apis')
      expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' })
      const groups = body['groups'] as { name: string }[]
      expect(groups.find(({ name }) => name === 'policy')).toEqual({
        name: 'policy',
        versions: [{ groupVersion: 'policy/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'policy/v1', version: 'v1' },
      })
      expect((await api.get('/apis/policy')).body).toEqual({
        kind: 'APIGroup',
        apiVersion: 'v1',
        name: 'policy',
        versions: [{ groupVersion: 'policy/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'policy/v1', version: 'v1' },
      })
    }),
  )

  it(
    'legacy: resources',
    on(async ({ api }) => {
      const { body } = await api.get('/api/v1')
      expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
      const resources = body['resources'] as Legacy[]
      const find = (name: string): Legacy | undefined => resources.find((one) => one.name === name)
      expect(find('nodes')).toMatchObject({
        name: 'nodes',
        singularName: 'node',
        namespaced: false,
        kind: 'Node',
        verbs: everyVerb,
        shortNames: ['no'],
      })
      expect(find('pods/eviction')).toEqual({
        name: 'pods/eviction',
        singularName: '',
        namespaced: true,
        group: 'policy',
        version: 'v1',
        kind: 'Eviction',
        verbs: ['create'],
      })
      expect(find('serviceaccounts/token')).toMatchObject({
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        verbs: ['create'],
      })
    }),
  )

  it(
    'custom resources come and go',
    on(async ({ api, namespace, unique }) => {
      const { definition } = await serveWidgets(api, unique, namespace)
      const group = `${unique}.example.org`
      const listed = async (): Promise<boolean> => {
        const { body } = await api.get('/apis', { accept: aggregated })
        return body.items.some(({ metadata }) => metadata.name === group)
      }
      await until('the group is discovered', listed)
      const { body } = await api.get('/apis', { accept: aggregated })
      expect(resourceIn(body, group, 'v1', 'widgets')).toEqual({
        resource: 'widgets',
        responseKind: { group, version: 'v1', kind: 'Widget' },
        scope: 'Namespaced',
        singularResource: 'widget',
        shortNames: [`w${unique}`],
        verbs: expect.arrayContaining(everyVerb),
        subresources: [
          {
            subresource: 'status',
            responseKind: { group, version: 'v1', kind: 'Widget' },
            verbs: ['get', 'patch', 'update'],
          },
        ],
      })
      expect((await api.get(`/apis/${group}/v1`)).body).toMatchObject({
        kind: 'APIResourceList',
        groupVersion: `${group}/v1`,
      })
      await api.delete(definition)
      await until('the group is gone', async () => !(await listed()))
    }),
  )

  it(
    'health and version',
    on(async ({ api }) => {
      for (const path of ['/healthz', '/livez', '/readyz']) {
        const { code, text } = await api.get(path)
        expect(`${code} ${text}`).toBe('200 ok')
      }
      const { body } = await api.get('/version')
      expect(body).toMatchObject({
        major: '1',
        minor: '32',
        gitVersion: expect.stringMatching(/^v1\.32\./),
      })
    }),
  )

  it(
    'OpenAPI tells that fields are validated',
    on(async ({ api }) => {
      const index = await api.get('/openapi/v3')
      const paths = index.body['paths'] as Record<string, { serverRelativeURL: string }>
      const url = paths['api/v1']?.serverRelativeURL ?? ''
      expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]+$/)
      const { code, body } = await api.get(url)
      expect(code).toBe(200)
      const operations = (body['paths'] as Record<string, Record<string, Operation>>)[
        '/api/v1/namespaces/{name}'
      ]
      const patch = operations?.['patch']
      expect(patch?.['x-kubernetes-group-version-kind']).toEqual({
        group: '',
        kind: 'Namespace',
        version: 'v1',
      })
      expect(patch?.parameters.map(({ name }) => name)).toContain('fieldValidation')
    }),
  )
})

const withoutCollection = everyVerb.filter((verb) => verb !== 'deletecollection')

interface Operation {
  parameters: { name: string }[]
  'x-kubernetes-group-version-kind': object
}
