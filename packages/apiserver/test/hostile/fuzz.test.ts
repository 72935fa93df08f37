import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from './hostile-server.ts'
import { adminToken, complaint, HostileServer, realMistakes } from './hostile-server.ts'

/** `FUZZ_RUNS=5000 FUZZ_SEED=7` for more or other runs. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 150)
const seed = Number(process.env['FUZZ_SEED'] ?? 1)

let server: HostileServer

beforeAll(async () => {
  server = await HostileServer.start()
  await server.send({ method: 'POST', path: configMaps, body: target })
  await server.send({ method: 'POST', path: nodes, body: node })
})

afterAll(() => server.stop())

const configMaps = '/api/v1/namespaces/default/configmaps'
const nodes = '/api/v1/nodes'
const target = '{"metadata":{"name":"target"},"data":{"a":"1"}}'
const node =
  '{"metadata":{"name":"target"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}],"podCIDRs":["10.0.0.0/24"]}}'

/** Sends generated requests until a response is invalid, and returns it. */
async function fuzz(requests: fc.Arbitrary<Sent>, runs = numRuns): Promise<unknown> {
  let wrong: unknown = 'nothing wrong'
  await fc.check(
    fc.asyncProperty(requests, async (sent) => {
      const problem = complaint(await server.send(sent), realMistakes)
      if (problem !== undefined) wrong = { sent, problem }
      return problem === undefined
    }),
    { numRuns: runs, seed, endOnFailure: true },
  )
  return wrong
}

const key = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'metadata',
    'labels',
    'name',
    '$patch',
    '$retainKeys',
    '$setElementOrder/taints',
    '$deleteFromPrimitiveList/podCIDRs',
    'spec',
    'taints',
    'podCIDRs',
    'data',
    'kind',
    'apiVersion',
    '',
    'a/b',
    '~0~1',
    'key',
    'finalizers',
    'ownerReferences',
    'managedFields',
    'annotations',
    'uid',
    'status',
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
)

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e300, 2 ** 53, 0.1, '', 'replace', 'merge'),
    fc.constantFrom<unknown>('delete', 'target', 'v1', 'ConfigMap', '\ud800', '\u0000', 'я'),
    fc.string({ maxLength: 10, unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => asObject(entries)),
  ),
}))

/** `__proto__` becomes an own key, as with JSON.parse. */
const asObject = (entries: readonly (readonly [string, unknown])[]): unknown =>
  Object.fromEntries(entries)

const json = value.map((made) => JSON.stringify(made))

const spoiled = fc
  .tuple(json, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 3 }))
  .map(([text, at, bytes]) => {
    const whole = Buffer.from(text)
    const place = at % (whole.length + 1)
    return Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place + bytes.length)])
  })

const truncated = fc.tuple(json, fc.nat()).map(([text, at]) => text.slice(0, at % text.length))

const body = fc.oneof(fc.uint8Array({ maxLength: 64 }), json, spoiled, truncated)

const collections = fc.constantFrom(
  configMaps,
  nodes,
  '/api/v1/namespaces',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/serviceaccounts/default/token',
  '/apis/apps/v1/namespaces/default/daemonsets',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/api/v1/namespaces/default/pods/target/eviction',
)

const bodyTypes = fc.oneof(
  fc.constantFrom('application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'),
  fc.constantFrom('', 'text/plain', 'application/json;charset=x', ';', 'a/b;c', 'JSON'),
)

describe(`random input (seed ${seed})`, { timeout: 600_000 }, () => {
  it('in bodies', async () => {
    const wrong = await fuzz(
      fc.record({
        method: fc.constantFrom('POST', 'PUT', 'DELETE'),
        path: fc.oneof(collections, fc.constant(`${configMaps}/absent`)),
        headers: fc.record({ 'content-type': bodyTypes }),
        body,
        chunked: fc.boolean(),
      }),
    )
    expect(wrong).toBe('nothing wrong')
  })

  it('in protobuf', async () => {
    const wire = fc
      .array(
        fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(7), fc.uint8Array({ maxLength: 12 })),
        { maxLength: 5 },
      )
      .map((fields) =>
        fields.flatMap(([field, type, bytes]) =>
          type === 2 ? [field * 8 + 2, bytes.length, ...bytes] : [field * 8 + type, ...bytes],
        ),
      )
    const envelope = wire.map((bytes) => Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes]))
    // A valid envelope, so that the random bytes are inside.
    const filled = wire.map((bytes) => {
      const type = [0x0a, 2, 0x76, 0x31, 0x12, 9, ...Buffer.from('ConfigMap')]
      return Buffer.from([
        0x6b,
        0x38,
        0x73,
        0,
        0x0a,
        type.length,
        ...type,
        0x12,
        bytes.length,
        ...bytes,
      ])
    })
    const wrong = await fuzz(
      fc.record({
        method: fc.constantFrom('POST', 'PUT'),
        path: fc.constantFrom(configMaps, `${configMaps}/target`),
        headers: fc.constant({ 'content-type': 'application/vnd.kubernetes.protobuf' }),
        body: fc.oneof(envelope, filled),
      }),
    )
    expect(wrong).toBe('nothing wrong')
  })

  it('in patches', async () => {
    const pointer = fc.array(key, { maxLength: 5 }).map((keys) => `/${keys.join('/')}`)
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'nope'),
        path: pointer,
        from: pointer,
        value,
      },
      { requiredKeys: ['op', 'path'] },
    )
    const operations = fc.array(operation, { maxLength: 4 }).map((made) => JSON.stringify(made))
    const applied = value.map((made) =>
      JSON.stringify(Object.assign({ apiVersion: 'v1', kind: 'Node' }, made)),
    )
    const wrong = await fuzz(
      fc.record({
        method: fc.constant('PATCH'),
        path: fc.constantFrom(
          `${nodes}/target`,
          `${nodes}/target/status`,
          `${configMaps}/target`,
          `${nodes}/target?fieldManager=m&force=true`,
          `${nodes}/new?fieldManager=m`,
        ),
        headers: fc.record({
          'content-type': fc.constantFrom(
            'application/json-patch+json',
            'application/merge-patch+json',
            'application/strategic-merge-patch+json',
            'application/apply-patch+yaml',
          ),
        }),
        body: fc.oneof(operations, json, applied, body),
      }),
    )
    expect(wrong).toBe('nothing wrong')
  })

  it('in queries', async () => {
    const option = fc.constantFrom(
      'limit',
      'resourceVersion',
      'resourceVersionMatch',
      'continue',
      'labelSelector',
      'fieldSelector',
      'timeoutSeconds',
      'sendInitialEvents',
      'allowWatchBookmarks',
      'pretty',
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'gracePeriodSeconds',
      'force',
      'propagationPolicy',
      'includeObject',
      'orphanDependents',
      '__proto__',
    )
    const content = fc.oneof(
      fc.constantFrom('-1', '0', 'abc', '1e3', '99999999999999999999', 'true', 'Exact', '%zz'),
      fc.constantFrom(
        'a%20in%20(',
        '!a',
        'a=b,c%20notin%20(d)',
        'metadata.name=target',
        '__proto__=x',
      ),
      fc.string({ maxLength: 12, unit: 'binary' }).map(escaped),
    )
    const query = fc
      .array(fc.tuple(option, content), { minLength: 1, maxLength: 4 })
      .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'))
    const wrong = await fuzz(
      fc
        .tuple(fc.constantFrom('GET', 'PUT', 'DELETE'), fc.boolean(), query)
        .map(([method, named, text]) => ({
          method,
          path: `${configMaps}${named || method !== 'GET' ? '/absent' : ''}?${text}`,
        })),
    )
    expect(wrong).toBe('nothing wrong')
  })

  it('in watch queries', async () => {
    const query = fc.constantFrom(
      'resourceVersion=abc',
      'resourceVersion=-1',
      'resourceVersionMatch=Exact',
      'sendInitialEvents=maybe',
      'labelSelector=((',
      'fieldSelector=x=y',
      'timeoutSeconds=abc',
      'timeoutSeconds=-5&resourceVersion=0',
      'continue=abc',
      'resourceVersion=1',
    )
    const wrong = await fuzz(
      fc.tuple(query, query).map(([a, b]) => ({
        path: `${configMaps}?watch=1&timeoutSeconds=1&${a}&${b}`,
      })),
      // Valid requests take a second each.
      Math.ceil(numRuns / 15),
    )
    expect(wrong).toBe('nothing wrong')
  })

  it('in paths', async () => {
    const step = fc.oneof(
      fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'default', 'configmaps', 'target'),
      fc.constantFrom('..', '.', '', '%2e%2e', '%2F', '%00', '%ff%fe', '%zz', '__proto__'),
      fc.constantFrom('constructor', 'status', 'apps', 'a'.repeat(3000), '%25', '%5c', '*'),
      fc.string({ maxLength: 6, unit: 'binary' }).map(escaped),
    )
    const wrong = await fuzz(
      fc
        .record({
          method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'),
          path: fc.array(step, { maxLength: 8 }).map((steps) => `/${steps.join('/')}`),
          headers: fc.constant({ 'content-type': 'application/json' }),
          body: fc.constant('{}'),
        })
        .filter(({ method, path }) => method !== 'DELETE' || path.includes('target')),
    )
    expect(wrong).toBe('nothing wrong')
  })

  it('in headers', async () => {
    const text = fc.string({ maxLength: 40, unit: fc.integer({ min: 32, max: 126 }).map(ascii) })
    const name = fc.constantFrom(
      'accept',
      'user-agent',
      'audit-id',
      'if-none-match',
      'accept-encoding',
      'via',
      'impersonate-user',
      'impersonate-group',
      'impersonate-uid',
      'impersonate-extra-a%zz',
      'impersonate-extra-__proto__',
      'authorization',
      'x-forwarded-for',
      'te',
      'range',
    )
    const known = fc.constantFrom(
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=__proto__',
      '*/*;q=',
      'Bearer',
      'Bearer  x',
      'bearer ..',
      `Basic ${'a'.repeat(9000)}`,
      'system:masters',
      'system:serviceaccount:a:b:c',
      `Bearer ${jwt({ alg: 'none' })}`,
      '',
    )
    const wrong = await fuzz(
      fc.record({
        path: fc.constantFrom(configMaps, `${configMaps}/target`, '/apis', '/version'),
        headers: fc.dictionary(name, fc.oneof(known, text), { minKeys: 1, maxKeys: 3 }),
      }),
    )
    expect(wrong).toBe('nothing wrong')
  })
})

describe('after random input', () => {
  it('prototypes are unchanged, and the log contains no secret', () => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(server.log.join('')).not.toContain(adminToken)
  })
})

const ascii = (code: number): string => String.fromCharCode(code)
const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

function jwt(head: object): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encoded(head)}.${encoded({ sub: 'system:serviceaccount:default:default' })}.`
}
