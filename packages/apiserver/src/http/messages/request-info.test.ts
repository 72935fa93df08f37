import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isResource, requestInfo } from './request-info.ts'

describe('requestInfo', () => {
  it.each([
    ['GET', '/api/v1/nodes', { verb: 'list', group: '', version: 'v1', resource: 'nodes' }],
    ['GET', '/api/v1/nodes/', { verb: 'list', group: '', version: 'v1', resource: 'nodes' }],
    [
      'PATCH',
      '/api/v1/nodes/n1/status',
      {
        verb: 'patch',
        group: '',
        version: 'v1',
        resource: 'nodes',
        name: 'n1',
        subresource: 'status',
      },
    ],
    [
      'GET',
      '/api/v1/namespaces/shop',
      { verb: 'get', group: '', version: 'v1', resource: 'namespaces', name: 'shop' },
    ],
    [
      'PUT',
      '/api/v1/namespaces/shop/finalize',
      {
        verb: 'update',
        group: '',
        version: 'v1',
        resource: 'namespaces',
        name: 'shop',
        subresource: 'finalize',
      },
    ],
    [
      'DELETE',
      '/apis/ex.io/v1/namespaces/shop/gears',
      {
        verb: 'deletecollection',
        group: 'ex.io',
        version: 'v1',
        resource: 'gears',
        namespace: 'shop',
      },
    ],
    [
      'POST',
      '/api/v1/namespaces/shop/pods/web/eviction',
      {
        verb: 'create',
        group: '',
        version: 'v1',
        resource: 'pods',
        namespace: 'shop',
        name: 'web',
        subresource: 'eviction',
      },
    ],
    ['GET', '/api/v1/watch/nodes', { verb: 'watch', group: '', version: 'v1', resource: 'nodes' }],
    [
      'GET',
      '/api/v1/nodes/n1/proxy/more',
      {
        verb: 'get',
        group: '',
        version: 'v1',
        resource: 'nodes',
        name: 'n1',
        subresource: 'proxy',
        tooDeep: true,
      },
    ],
  ])('%s %s', (method, path, expected) => {
    expect(requestInfo(method, path)).toEqual(expected)
  })

  const requested = (query: string, method = 'GET', path = '/api/v1/nodes'): unknown =>
    requestInfo(method, path, new URLSearchParams(query))

  it('detects a watch by its query, unless it has a name', () => {
    expect(requested('watch=true')).toMatchObject({ verb: 'watch' })
    expect(requested('watch=1', 'HEAD')).toMatchObject({ verb: 'watch' })
    expect(requested('watch=false')).toMatchObject({ verb: 'list' })
    expect(requested('watch=true', 'GET', '/api/v1/nodes/n1')).toMatchObject({ verb: 'get' })
  })

  it.each([
    ['fieldSelector=metadata.name%3Dn1', 'n1'],
    ['fieldSelector=metadata.name%3D%3Dn1,spec.unschedulable%3Dfalse&watch=true', 'n1'],
    ['fieldSelector=metadata.name!%3Dn1', undefined],
    ['fieldSelector=metadata.name%3D', undefined],
    ['fieldSelector=metadata.name%3D..', undefined],
    ['fieldSelector=metadata.name%3Da/b', undefined],
    ['fieldSelector=metadata.name%3Da%3Db', undefined],
    ['fieldSelector=metadata.name', undefined],
  ])('%s selects %j', (query, name) => {
    expect((requested(query) as { selectedName?: string }).selectedName).toBe(name)
  })

  it.each([
    ['DELETE', '/api/v1/nodes'],
    ['GET', '/api/v1/nodes/n2'],
    ['GET', '/api/v1/watch/nodes'],
  ])('%s %s ignores selectors', (method, path) => {
    expect(requested('fieldSelector=metadata.name%3Dn1', method, path)).not.toHaveProperty(
      'selectedName',
    )
  })

  it.each(['/', '/version', '/api', '/api/v1', '/apis/apps/v1', '/apis/apps/v1/', '/x/y/z/a'])(
    '%s is a non-resource path',
    (path) => {
      expect(requestInfo('GET', path)).toEqual({ verb: 'get', path })
    },
  )

  it('keeps empty segments inside a path, and drops them around it', () => {
    expect(requestInfo('GET', '//api/v1/nodes//')).toMatchObject({ resource: 'nodes' })
    expect(requestInfo('GET', '/api/v1//nodes')).toMatchObject({ resource: '', name: 'nodes' })
    expect(requestInfo('GET', '/api//v1/nodes')).toMatchObject({ version: '', resource: 'v1' })
  })

  it('rejects a watch path without a resource', () => {
    expect(() => requestInfo('GET', '/api/v1/watch/')).toThrow(
      'Internal Server Error: "/api/v1/watch/": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch/',
    )
  })

  it('parses every path into parts of it', () => {
    const step = fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'a', '..', '.', '', 'pods')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 9 }), (steps: string[]) => {
        const info = requestInfo('GET', `/${steps.join('/')}`)
        const { verb: _, tooDeep: __, ...reported } = info as unknown as Record<string, string>
        const strange = Object.values(reported).filter((value) => !steps.includes(value))
        expect(isResource(info) ? strange.filter((value) => value !== '') : []).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
