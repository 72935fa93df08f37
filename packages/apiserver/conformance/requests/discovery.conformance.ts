import { createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Body } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { account } from '../support/service-accounts.ts'
import { serveWidgets } from '../support/widgets.ts'

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

/** Resources of both servers: group, version, resource, kind, scope, short names. */
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
    'aggregated: content type and caching headers',
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
    'aggregated: 304 for a known ETag',
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
    'aggregated: the kinds that clients require',
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
    'aggregated: pods and their subresources',
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
    'custom resources appear and disappear',
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
    'the index of paths',
    on(async ({ api }) => {
      const { code, headers, body } = await api.get('/')
      expect(code).toBe(200)
      expect(headers['content-type']).toBe('application/json')
      const paths = body['paths'] as string[]
      expect(paths).toEqual([...paths].sort())
      expect(paths).toEqual(expect.arrayContaining(wellKnownPaths))
      expect((await api.get('/index.html')).body).toEqual(body)
    }),
  )

  it(
    'health: one check, all checks, excluded checks',
    on(async ({ api }) => {
      for (const path of ['/readyz/ping', '/readyz/shutdown', '/livez/etcd', '/healthz/log']) {
        const { code, text } = await api.get(path)
        expect([path, code, text]).toEqual([path, 200, 'ok'])
      }
      for (const path of ['/readyz/', '/readyz/nonsense', '/readyz/ping/', '/livez/shutdown']) {
        const { code, text } = await api.get(path)
        expect([path, code, text]).toEqual([path, 404, '404 page not found\n'])
      }
      const lines = async (path: string): Promise<string[]> => {
        const { headers, text } = await api.get(path)
        expect(headers['content-type']).toBe('text/plain; charset=utf-8')
        return text.split('\n')
      }
      for (const door of ['healthz', 'livez', 'readyz']) {
        const reported = await lines(`/${door}?verbose`)
        expect(reported.slice(0, 3)).toEqual(['[+]ping ok', '[+]log ok', '[+]etcd ok'])
        expect(reported.slice(-2)).toEqual([`${door} check passed`, ''])
      }
      const without = await lines('/readyz?verbose&exclude=etcd&exclude=nonsense')
      expect(without[2]).toBe('[+]etcd excluded: ok')
      expect(without.slice(-4)).toEqual([
        '[+]shutdown ok',
        'warn: some health checks cannot be excluded: no matches for "nonsense"',
        'readyz check passed',
        '',
      ])
      expect((await api.ask('/readyz', { method: 'POST' })).text).toBe('ok')
    }),
  )

  it(
    'OpenID configuration and keys of the token issuer',
    on(async ({ api, namespace, target }) => {
      const configuration = await api.get('/.well-known/openid-configuration')
      expect(configuration.headers['content-type']).toBe('application/json')
      expect(configuration.headers['cache-control']).toBe('public, max-age=3600')
      const { issuer } = configuration.body as unknown as { issuer: string }
      expect(configuration.body).toEqual({
        issuer,
        jwks_uri: `${target.server}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      })
      const { headers, body } = await api.get('/openid/v1/jwks')
      expect(headers['content-type']).toBe('application/jwk-set+json')
      const [jwk] = body['keys'] as { kid: string }[]
      expect(jwk).toMatchObject({ use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256' })

      const { token } = await account(api, namespace, 'robot')
      const [head = '', claims = '', signature = ''] = token.split('.')
      const decoded = (part: string): Record<string, unknown> =>
        JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
      expect(decoded(head)['kid']).toBe(jwk?.kid)
      expect(decoded(claims)['iss']).toBe(issuer)
      const key = createPublicKey({ key: jwk as never, format: 'jwk' })
      const isGood = verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      )
      expect(isGood).toBe(true)
      expect((await api.post('/openid/v1/jwks', {})).code).toBe(405)
      // The issuer's documents require an authenticated service account.
      expect((await api.withToken(token).get('/openid/v1/jwks')).code).toBe(200)
      expect((await api.as({}).get('/openid/v1/jwks')).code).toBe(403)
    }),
  )

  it(
    'metrics: requests and storage',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.get(path)
      const watch = await api.watch(`${path}?watch=true`)
      const { headers, text } = await api.get('/metrics')
      watch.close()
      expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/)
      expect(text).toMatch(
        /^apiserver_request_total\{(?=.*code="200")(?=.*resource="configmaps")(?=.*verb="LIST").*\} \d+$/m,
      )
      expect(text).toMatch(
        /^apiserver_request_duration_seconds_bucket\{(?=.*resource="configmaps")(?=.*verb="LIST")(?=.*le="\+Inf").*\} \d+$/m,
      )
      expect(text).toMatch(
        /^apiserver_longrunning_requests\{(?=.*resource="configmaps")(?=.*verb="WATCH").*\} \d+$/m,
      )
      expect(text).toMatch(/^apiserver_storage_objects\{resource="configmaps"\} \d+$/m)
      expect(text).toMatch(/^apiserver_storage_size_bytes(\{.*\})? [\d.e+]+$/m)
    }),
  )

  it(
    '/openapi/v2 has the fields of custom kinds, in JSON and protobuf',
    on(async ({ api, namespace, unique }) => {
      await serveWidgets(api, unique, namespace)
      const name = `org.example.${unique}.v1.Widget`
      const found = async (): Promise<Record<string, unknown> | undefined> => {
        const { body } = await api.get('/openapi/v2')
        return (body['definitions'] as Record<string, Record<string, unknown>>)[name]
      }
      await until('the kind is there', async () => (await found()) !== undefined)
      expect(await found()).toMatchObject({
        type: 'object',
        description: 'A thing to try things with.',
        properties: {
          metadata: {
            $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
          },
          spec: { properties: { parts: { type: 'array', items: { type: 'string' } } } },
        },
        'x-kubernetes-group-version-kind': [
          { group: `${unique}.example.org`, version: 'v1', kind: 'Widget' },
        ],
      })
      const { body } = await api.get('/openapi/v2')
      expect(body).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' } })
      const requested = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
      const packed = await api.get('/openapi/v2', { accept: requested })
      expect([packed.code, packed.headers['content-type']]).toEqual([
        200,
        'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      ])
      expect(packed.text).toContain(name)
    }),
  )

  it(
    'OpenAPI lists the fieldValidation parameter',
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

const wellKnownPaths = [
  '/.well-known/openid-configuration',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/rbac.authorization.k8s.io/v1',
  '/healthz',
  '/healthz/etcd',
  '/livez/ping',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openid/v1/jwks',
  '/readyz',
  '/readyz/informer-sync',
  '/readyz/shutdown',
  '/version',
]

const withoutCollection = everyVerb.filter((verb) => verb !== 'deletecollection')

interface Operation {
  parameters: { name: string }[]
  'x-kubernetes-group-version-kind': object
}
