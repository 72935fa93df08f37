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
    expect(requestInfo(method, path, false)).toEqual(expected)
  })

  it('knows a watch by its query', () => {
    expect(requestInfo('GET', '/api/v1/nodes', true)).toMatchObject({ verb: 'watch' })
  })

  it.each([
    '/',
    '/version',
    '/api',
    '/api/v1',
    '/apis/apps/v1',
    '/api/v1/../v1/nodes',
    '//api/v1/nodes',
    '/api//nodes',
  ])('%s is no resource', (path) => {
    expect(requestInfo('GET', path, false)).toEqual({ verb: 'get', path })
  })

  it('never lets a step out of the path', () => {
    const step = fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'a', '..', '.', '', 'pods')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 9 }), (steps) => {
        const info = requestInfo('GET', `/${steps.join('/')}`, false)
        const values = isResource(info) ? Object.values(info) : []
        expect(values.filter((value) => value === '..' || value === '.')).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
