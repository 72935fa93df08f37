import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { builtInKinds } from '../../kinds/catalog/built-in-kinds.ts'
import { KindRegistry } from '../../kinds/kind-registry.ts'
import type { StatusError } from '../../status/status-error.ts'
import type { ResourceRequest } from '../messages/request-info.ts'
import { requestInfo } from '../messages/request-info.ts'
import { kindAt, rejectUnsupported } from './resource-place.ts'

const kinds = new KindRegistry(builtInKinds)
const pods = kinds.find('', 'v1', 'pods')!
const gears = { ...pods, group: 'ex.io', kind: 'Gear', plural: 'gears', builtIn: false }
kinds.replace('ex.io', 'gears', [{ ...gears, subresources: [] }])

const found = (method: string, path: string): string | undefined =>
  kindAt(kinds, requestInfo(method, path) as ResourceRequest, path)?.kind

function error(method: string, path: string): string | undefined {
  const info = requestInfo(method, path) as ResourceRequest
  const thrown = thrownBy(() => rejectUnsupported(kindAt(kinds, info, path)!, info, method))
  const { code, message } = (thrown ?? {}) as Partial<StatusError>
  return thrown === undefined ? undefined : `${code} ${message}`
}

describe('the kind of a path', () => {
  it.each([
    ['GET', '/api/v1/pods', 'Pod'],
    ['POST', '/api/v1/pods', 'Pod'],
    ['GET', '/api/v1/pods/p', undefined],
    ['GET', '/api/v1/namespaces/n/pods/p/status', 'Pod'],
    ['GET', '/api/v1/namespaces/n/pods/p/bogus', undefined],
    ['GET', '/api/v1/namespaces/n/pods/p/status/more', undefined],
    ['GET', '/api/v1/namespaces/n/nodes', undefined],
    ['GET', '/apis//v1/nodes', undefined],
    ['GET', '//api/v1/nodes', undefined],
    ['GET', '/api/v1/proxy/nodes/n', undefined],
    ['GET', '/apis/ex.io/v1/gears', 'Gear'],
    ['POST', '/apis/ex.io/v1/gears', undefined],
    ['GET', '/apis/ex.io/v1/namespaces/n/gears/g/bogus', 'Gear'],
  ])('%s %s: %s', (method, path, kind) => {
    expect(found(method, path)).toBe(kind)
  })
})

describe('an unsupported request', () => {
  const notAllowed = '405 the server does not allow this method on the requested resource'
  const pod = '/api/v1/namespaces/n/pods/p'
  const gear = '/apis/ex.io/v1/namespaces/n/gears/g'

  it.each([
    ['GET', pod, undefined],
    ['DELETE', pod, undefined],
    ['HEAD', pod, notAllowed],
    ['POST', '/api/v1/watch/pods', notAllowed],
    ['GET', '/api/v1/namespaces/n/pods/.', `400 Name parameter invalid: ".": may not be '.'`],
    ['GET', '/api/v1/nodes/a%b', `400 Name parameter invalid: "a%b": may not contain '%'`],
    ['HEAD', gear, undefined],
    ['GET', `${gear}/status`, '404 gears.ex.io "g" not found'],
    ['OPTIONS', gear, '405  is not supported on resources of kind "gears.ex.io"'],
    ['PATCH', '/apis/ex.io/v1/namespaces/n/gears', '400 name must be provided'],
    ['POST', '/apis/ex.io/v1/watch/namespaces/n/gears', notAllowed],
  ])('%s %s: %s', (method, path, message) => {
    expect(error(method, path)).toBe(message)
  })
})
