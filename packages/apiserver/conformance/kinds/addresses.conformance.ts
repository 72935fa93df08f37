import { expect, it } from 'vitest'
import type { Answer } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure, node } from '../support/objects.ts'
import { account } from '../support/service-accounts.ts'
import { brief } from '../support/watching.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

const notFound = failure(404, 'NotFound', 'the server could not find the requested resource', {})
const notAllowed = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
)

conformance('addresses', (on) => {
  it(
    'leading and trailing slashes are ignored, others are not',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      for (const each of [`${path}/`, `${path}//`]) {
        expect((await api.get(each)).body).toMatchObject({ kind: 'ConfigMapList' })
      }
      expect((await api.get(`${path}/a/`)).body).toMatchObject({ metadata: { name: 'a' } })
      for (const each of ['/api/v1//nodes', '/api//v1/nodes']) {
        expect((await api.get(each)).body).toEqual(notFound)
      }
      for (const each of ['//api/v1/nodes', '/apis//v1/nodes']) {
        const { code, text } = await api.get(each)
        expect([each, code, text]).toEqual([each, 404, '404 page not found\n'])
      }
    }),
  )

  it(
    'are decoded before they are split',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const reported = async (each: string): Promise<unknown> => {
        const { code, body } = await api.get(each)
        return code === 200 ? body.metadata.name : body
      }
      expect(await reported(`${path}/%61`)).toBe('a')
      expect(await reported(`/api/v1/namespaces/${namespace}%2Fconfigmaps/a`)).toBe('a')
      expect(await reported(`${path}/a%2Fb`)).toEqual(notFound)
      expect(await reported(`${path}/a%25b`)).toEqual(
        failure(400, 'BadRequest', `Name parameter invalid: "a%b": may not contain '%'`),
      )
    }),
  )

  it(
    '400: invalid percent encoding',
    on(async ({ api }) => {
      const { code, text } = await api.get('/api/v1/%zz')
      expect([code, text]).toEqual([400, '400 Bad Request'])
    }),
  )

  it(
    '404: unknown paths',
    on(async ({ api, namespace }) => {
      await api.post(`/api/v1/namespaces/${namespace}/configmaps`, configMap('a'))
      for (const path of [
        '/api/v1/configmaps/a',
        `/api/v1/namespaces/${namespace}/nodes`,
        `/api/v1/namespaces/${namespace}/nodes/x`,
        `/api/v1/namespaces/${namespace}/configmaps/a/status`,
        '/api/v1/nodes/n/status/more',
        '/api/v1/proxy/nodes/n',
        '/api/v1/watch/bogus',
        '/api/v2/nodes',
        '/apis/apps/v2/deployments',
      ]) {
        expect([path, (await api.get(path)).body]).toEqual([path, notFound])
      }
    }),
  )

  it(
    '405: only GET reads',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const requested = async (method: string, each: string): Promise<Answer> =>
        api.ask(each, { method })
      for (const each of [path, `${path}/kube-root-ca.crt`, '/api/v1', '/version']) {
        const { code, text, headers } = await requested('HEAD', each)
        expect([each, code, text]).toEqual([each, 405, ''])
        expect(headers['content-length']).toBe('197')
        expect((await requested('OPTIONS', each)).body).toEqual(notAllowed)
      }
      expect((await requested('POST', '/api/v1/watch/nodes')).body).toEqual(notAllowed)
      expect((await requested('DELETE', '/api/v1/configmaps')).body).toEqual(notAllowed)
    }),
  )

  it(
    'a watch parameter on a named object is a get',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a'))
      const { code, body } = await api.get(`${path}/a?watch=true`)
      expect([code, body]).toEqual([200, made.body])
      expect((await api.get(`${path}/none?watch=true`)).code).toBe(404)
    }),
  )

  it(
    'deprecated watch paths',
    on(async ({ api, namespace, unique }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      await api.post(path, configMap('b'))
      const all = await api.watch(`/api/v1/watch/namespaces/${namespace}/configmaps`)
      expect(brief(await all.take(2)).sort()).toEqual(['ADDED a', 'ADDED b'])
      all.close()
      const one = await api.watch(`/api/v1/watch/namespaces/${namespace}/configmaps/b`)
      expect(brief(await one.take(1))).toEqual(['ADDED b'])
      await api.delete(`${path}/a`)
      await api.delete(`${path}/b`)
      expect(brief(await one.take(1))).toEqual(['DELETED b'])
      one.close()
      await api.post('/api/v1/nodes', node(unique))
      const its = await api.watch(`/api/v1/watch/nodes/${unique}`)
      expect(brief(await its.take(1))).toEqual([`ADDED ${unique}`])
      its.close()
      const spaces = await api.watch(`/api/v1/watch/namespaces/${namespace}`)
      expect(brief(await spaces.take(1))).toEqual([`ADDED ${namespace}`])
      spaces.close()
    }),
  )

  it(
    'custom resources have different errors',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      await api.post(path, widget(unique, 'w'))
      const group = `${unique}.example.org`
      const requested = async (method: string, each: string, body?: object): Promise<unknown> => {
        const answer = await api.ask(each, { method, ...(body && { body }) })
        return answer.code < 300 || answer.body.kind === undefined ? answer.code : answer.body
      }
      expect(await requested('HEAD', path)).toBe(200)
      expect(await requested('HEAD', `${path}/w`)).toBe(200)
      const unsupported = failure(
        405,
        'MethodNotAllowed',
        ` is not supported on resources of kind "widgets.${group}"`,
        { group, kind: 'widgets' },
      )
      expect(await requested('OPTIONS', path)).toEqual(unsupported)
      expect(await requested('OPTIONS', `${path}/w`)).toEqual(unsupported)
      const missing = failure(404, 'NotFound', `widgets.${group} "w" not found`, {
        name: 'w',
        group,
        kind: 'widgets',
      })
      expect(await requested('GET', `${path}/w/scale`)).toEqual(missing)
      expect(await requested('DELETE', `${path}/w/bogus`)).toEqual(missing)
      expect(await requested('PUT', path, {})).toEqual(
        failure(400, 'BadRequest', 'name must be provided'),
      )
      const everywhere = `/apis/${group}/v1/widgets`
      expect(await requested('GET', everywhere)).toBe(200)
      for (const [method, each] of [
        ['POST', everywhere],
        ['DELETE', everywhere],
        ['GET', `${everywhere}/w`],
        ['GET', `/apis/${group}/v1/bogus`],
        ['GET', `/apis/${group}/v1//widgets`],
        ['GET', `/apis/${group}/v2/widgets`],
        ['GET', `/apis/${group}/v1/proxy/widgets/w`],
      ] as const) {
        const { code, text } = await api.ask(each, { method })
        expect([method, each, code, text]).toEqual([method, each, 404, '404 page not found\n'])
      }
      const field = await api.get(`${path}?fieldSelector=spec.foo%3Dx`)
      expect(field.body).toEqual(failure(400, 'BadRequest', 'field label not supported: spec.foo'))
      const watch = await api.watch(`/apis/${group}/v1/watch/namespaces/${namespace}/widgets/w`)
      expect(brief(await watch.take(1))).toEqual(['ADDED w'])
      watch.close()
    }),
  )

  it(
    '500: a deprecated watch path without a resource',
    on(async ({ api }) => {
      const { code, text, headers } = await api.as({}).get('/api/v1/watch')
      expect(code).toBe(500)
      expect(headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(text).toBe(
        'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
      )
    }),
  )

  it(
    '403: the message has the verb of the request',
    on(async ({ api, namespace }) => {
      const { token } = await account(api, namespace, 'robot')
      const robot = api.withToken(token)
      const reported = async (method: string, path: string): Promise<string> => {
        const { body } = await robot.ask(path, { method })
        return /cannot (.*) in API group/.exec(String(body['message']))?.[1] ?? ''
      }
      expect(await reported('GET', '/api/v1/nodes?watch=1')).toBe('watch resource "nodes"')
      expect(await reported('GET', '/api/v1/nodes/n?watch=1')).toBe('get resource "nodes"')
      expect(await reported('GET', '/api/v1/watch/nodes/n')).toBe('watch resource "nodes"')
      expect(await reported('DELETE', '/api/v1/nodes')).toBe('deletecollection resource "nodes"')
      expect(await reported('OPTIONS', '/api/v1/nodes')).toBe(' resource "nodes"')
      expect(await reported('GET', '/api/v1/proxy/nodes/n')).toBe('proxy resource "nodes"')
      expect(await reported('GET', '/api/v1/nodes/n/proxy/x')).toBe('get resource "nodes/proxy"')
    }),
  )
})
