import { expect, it } from 'vitest'
import type { Api, Body } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure, node, pod } from '../support/objects.ts'

const names = (list: Body): string[] => list.items.map(({ metadata }) => metadata.name)

/** ConfigMaps a to e, every second one red. */
async function five(api: Api, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  for (const [i, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    await api.post(path, configMap(name, {}, { labels: { colour: i % 2 ? 'blue' : 'red' } }))
  }
  return path
}

const requirement = 'unable to parse requirement: '
const plainName =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

const labelMistakes: readonly [string, string][] = [
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a b', `${requirement}found 'b', expected: in, notin, =, ==, !=, gt, lt`],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
  ['a in', `${requirement}found '' expected: '('`],
  ['a in (x', `${requirement}found '', expected: ',' or ')'`],
  ['a in (x,', `${requirement}found '', expected: ',', or identifier`],
  ['a in ((x))', `${requirement}found '(', expected: ',', ')' or identifier`],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['!', `${requirement}found '', expected: identifier`],
  [
    'a>b',
    `${requirement}values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  ['a<-5', `${requirement}values[0][a]: Invalid value: "-5": ${labelValue}`],
  ['-a', `${requirement}<nil>: Invalid value: "-a": name part ${plainName}`],
  ['/a', `${requirement}<nil>: Invalid value: "/a": prefix part must be non-empty`],
  [
    'a/b/c',
    `${requirement}<nil>: Invalid value: "a/b/c": a qualified name ${plainName} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  ],
  ['a=b/c', `${requirement}values[0][a]: Invalid value: "b/c": ${labelValue}`],
  [
    'a in (x,-y,-z)',
    `${requirement}[values[0][a]: Invalid value: "-y": ${labelValue}, values[1][a]: Invalid value: "-z": ${labelValue}]`,
  ],
]

const known = 'is not a known field selector: only "metadata.name", "metadata.namespace"'

const fieldMistakes: readonly [string, string][] = [
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['metadata.name=x,foo', "invalid selector: 'metadata.name=x,foo'; can't understand 'foo'"],
  ['metadata.name=b=c', 'invalid field selector: unescaped character in value: 61'],
  ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ['=b', `"" ${known}`],
  [' metadata.name=a', `" metadata.name" ${known}`],
  ['metadata.foo=x', `"metadata.foo" ${known}`],
]

const token = (content: object): string =>
  Buffer.from(JSON.stringify(content)).toString('base64url')

conformance('lists', (on) => {
  it(
    'have a kind, their items do not',
    on(async ({ api, namespace }) => {
      const { body } = await api.get(await five(api, namespace))
      expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' })
      expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(body.items[0]).not.toHaveProperty('kind')
      expect(body.items[0]).not.toHaveProperty('apiVersion')
    }),
  )

  it(
    'have an empty array without items',
    on(async ({ api, namespace }) => {
      const { body } = await api.get(`/api/v1/namespaces/${namespace}/configmaps`)
      expect(body.items).toEqual([])
      expect(Object.keys(body.metadata)).toEqual(['resourceVersion'])
    }),
  )

  it(
    'have a resourceVersion not older than their newest item',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const newest = await api.get(`${path}/e`)
      const { body } = await api.get(path)
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
        Number(newest.body.metadata.resourceVersion),
      )
    }),
  )

  it(
    'have pages of one revision',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const first = await api.get(`${path}?limit=2`)
      expect(names(first.body)).toEqual(['a', 'b'])
      expect(first.body.metadata.remainingItemCount).toBe(3)
      await api.delete(`${path}/c`)
      await api.post(path, configMap('bb'))
      const second = await api.get(`${path}?limit=2&continue=${first.body.metadata.continue}`)
      expect(names(second.body)).toEqual(['c', 'd'])
      expect(second.body.metadata.remainingItemCount).toBe(1)
      const third = await api.get(`${path}?limit=2&continue=${second.body.metadata.continue}`)
      expect(names(third.body)).toEqual(['e'])
      expect(third.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion })
    }),
  )

  it(
    'have no remainingItemCount with a selector',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const { body } = await api.get(`${path}?limit=2&labelSelector=colour%3Dred`)
      expect(names(body)).toEqual(['a', 'c'])
      expect(body.metadata.continue).toEqual(expect.any(String))
      expect(body.metadata).not.toHaveProperty('remainingItemCount')
    }),
  )

  it(
    '410: an expired continue token returns a new one',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const expired = token({ v: 'meta.k8s.io/v1', rv: 1, start: '/b\u0000' })
      const { code, body } = await api.get(`${path}?limit=2&continue=${expired}`)
      expect(code).toBe(410)
      expect(body).toMatchObject({ reason: 'Expired', status: 'Failure', code: 410 })
      expect(body['message']).toMatch(
        /^The provided continue parameter is too old to display a consistent list result\. /,
      )
      const rest = await api.get(`${path}?limit=5&continue=${body.metadata.continue}`)
      expect(names(rest.body)).toEqual(['c', 'd', 'e'])
    }),
  )

  it(
    '400: an invalid continue token',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.get(`${path}?limit=2&continue=garbage`)
      expect(body).toMatchObject({ reason: 'BadRequest', code: 400 })
      expect(body['message']).toMatch(/^invalid continue token: continue key is not valid: /)
    }),
  )

  it(
    '410: a compacted exact revision',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.get(`${path}?resourceVersion=1&resourceVersionMatch=Exact`)
      const message = 'The resourceVersion for the provided list is too old.'
      expect(body).toEqual(failure(410, 'Expired', message))
    }),
  )

  it(
    'an exact revision returns the past state',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const then = (await api.get(path)).body.metadata.resourceVersion
      await api.delete(`${path}/a`)
      const { body } = await api.get(`${path}?resourceVersion=${then}&resourceVersionMatch=Exact`)
      expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(body.metadata.resourceVersion).toBe(then)
    }),
  )

  it(
    'are not older than an acknowledged write',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const { body } = await api.post(path, configMap('f'))
      const at = body.metadata.resourceVersion
      const list = await api.get(`${path}?resourceVersion=${at}&resourceVersionMatch=NotOlderThan`)
      expect(names(list.body)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    }),
  )

  it(
    '504: a future revision',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { code, body } = await api.get(`${path}?resourceVersion=99999999`)
      expect(code).toBe(504)
      expect(body['message']).toMatch(
        /^Timeout: Too large resource version: 99999999, current: \d+$/,
      )
      expect(body['details']).toEqual({
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      })
    }),
  )

  it(
    '422: invalid combinations of parameters',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const reported = async (query: string): Promise<unknown> =>
        (await api.get(`${path}?${query}`)).body['message']
      expect(await reported('resourceVersionMatch=Exact')).toBe(
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      )
      expect(await reported('resourceVersion=0&resourceVersionMatch=Exact')).toBe(
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      )
    }),
  )

  it(
    'select by labels',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const selected = async (selector: string): Promise<string[]> =>
        names((await api.get(`${path}?labelSelector=${encodeURIComponent(selector)}`)).body)
      expect(await selected('colour=red')).toEqual(['a', 'c', 'e'])
      expect(await selected('colour!=red')).toEqual(['b', 'd'])
      expect(await selected('colour in (blue,green)')).toEqual(['b', 'd'])
      expect(await selected('colour notin (blue)')).toEqual(['a', 'c', 'e'])
      expect(await selected('!colour')).toEqual([])
      expect(await selected('colour,colour!=blue')).toEqual(['a', 'c', 'e'])
    }),
  )

  it(
    'select by fields',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const selected = async (selector: string): Promise<string[]> =>
        names((await api.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`)).body)
      expect(await selected('metadata.name=b')).toEqual(['b'])
      expect(await selected('metadata.name!=b,metadata.name!=c')).toEqual(['a', 'd', 'e'])
      expect(await selected(`metadata.namespace==${namespace}`)).toHaveLength(5)
    }),
  )

  it(
    'select pods by their node and phase',
    on(async ({ api, namespace, unique }) => {
      const path = `/api/v1/namespaces/${namespace}/pods`
      await api.post(path, pod('here', {}, { nodeName: unique }))
      await api.post(path, pod('nowhere'))
      const selector = encodeURIComponent(`spec.nodeName=${unique},status.phase!=Succeeded`)
      const { body } = await api.get(`/api/v1/pods?fieldSelector=${selector}`)
      expect(names(body)).toEqual(['here'])
    }),
  )

  it(
    '400: invalid selectors',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const labels = await api.get(`${path}?labelSelector=a%3D%3D%3D`)
      expect(labels.body).toEqual(
        failure(400, 'BadRequest', "unable to parse requirement: found '=', expected: identifier"),
      )
      const pods = await api.get(`/api/v1/namespaces/${namespace}/pods?fieldSelector=spec.foo%3Dx`)
      expect(pods.body).toEqual(failure(400, 'BadRequest', 'field label not supported: spec.foo'))
    }),
  )

  it(
    '400: messages of invalid label selectors',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const reported = async (selector: string): Promise<unknown> => {
        const { code, body } = await api.get(
          `${path}?labelSelector=${encodeURIComponent(selector)}`,
        )
        return code === 400 ? body['message'] : code
      }
      for (const [selector, message] of labelMistakes) {
        expect([selector, await reported(selector)]).toEqual([selector, message])
      }
      for (const selector of [' ', 'a in ()', 'a in (,)', 'a in (x,,y)', 'in in (notin)', 'a>5']) {
        expect([selector, await reported(selector)]).toEqual([selector, 200])
      }
    }),
  )

  it(
    '400: messages of invalid field selectors',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const reported = async (selector: string): Promise<unknown> => {
        const { code, body } = await api.get(
          `${path}?fieldSelector=${encodeURIComponent(selector)}`,
        )
        return code === 400 ? body['message'] : code
      }
      for (const [selector, message] of fieldMistakes) {
        expect([selector, await reported(selector)]).toEqual([selector, message])
      }
      for (const selector of [',', ',metadata.name=a', 'metadata.name= a', 'metadata.name=..']) {
        expect([selector, await reported(selector)]).toEqual([selector, 200])
      }
    }),
  )

  it(
    'of all namespaces',
    on(async ({ api, namespace }) => {
      await five(api, namespace)
      const query = `fieldSelector=metadata.namespace%3D${namespace}`
      const { body } = await api.get(`/api/v1/configmaps?${query}`)
      expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e'])
    }),
  )

  it(
    'as a table',
    on(async ({ api, unique }) => {
      await api.post('/api/v1/nodes', node(unique, { labels: { 'node-role.kubernetes.io/x': '' } }))
      const { headers, body } = await api.get(
        `/api/v1/nodes?fieldSelector=metadata.name%3D${unique}`,
        {
          accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        },
      )
      expect(headers['content-type']).toBe('application/json')
      expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
      const columns = body['columnDefinitions'] as { name: string; priority: number }[]
      expect(columns.filter(({ priority }) => priority === 0).map(({ name }) => name)).toEqual([
        'Name',
        'Status',
        'Roles',
        'Age',
        'Version',
      ])
      const rows = body['rows'] as { cells: unknown[]; object: Body }[]
      expect(rows[0]?.cells.slice(0, 3)).toEqual([unique, 'Unknown', 'x'])
      expect(rows[0]?.object.kind).toBe('PartialObjectMetadata')
    }),
  )

  it(
    '400: an invalid includeObject',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      for (const query of ['includeObject=bogus', 'includeObject=none&watch=true']) {
        const { body } = await api.get(`${path}?${query}`, { accept })
        const [, shown] = /=(\w+)/.exec(query) ?? []
        expect(body).toEqual(
          failure(
            400,
            'BadRequest',
            `Unable to convert to Table as requested: includeObject: Invalid value: "${shown}": must be 'Metadata', 'Object', 'None', or empty`,
          ),
        )
      }
      expect((await api.get(`${path}?includeObject=`, { accept })).code).toBe(200)
      expect((await api.get(`${path}?includeObject=bogus`)).code).toBe(200)
    }),
  )

  it(
    'as metadata only',
    on(async ({ api, namespace }) => {
      const path = await five(api, namespace)
      const { body } = await api.get(path, {
        accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      })
      expect(body).toMatchObject({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
      })
      expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(body.items[0]).not.toHaveProperty('data')
    }),
  )
})
