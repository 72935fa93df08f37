import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { routeOf } from './route.ts'

describe('the path', () => {
  it.each([
    ['/config/worker', 'worker'],
    ['/config/worker/', 'worker'],
    ['/config/worker?a=b', 'worker'],
    ['/config/worker/?', 'worker'],
    ['/config/my-pool.example', 'my-pool.example'],
    [`/config/${'a'.repeat(253)}`, 'a'.repeat(253)],
  ])('%s is that of a config', (path, pool) => {
    expect(routeOf(path)).toEqual({ type: 'config', pool })
  })

  it.each(['/healthz', '/healthz?verbose'])('%s is that of the health', (path) => {
    expect(routeOf(path)).toEqual({ type: 'health' })
  })

  it.each([
    '',
    '/',
    '*',
    '/config',
    '/config/',
    '/config//',
    '/config//worker',
    '//config/worker',
    '/config/worker//',
    '/config/a/b/worker',
    '/config/worker/..',
    '/config/../config/worker',
    '/config/.',
    '/config/..',
    '/config/...',
    '/config/a..b',
    '/config/%77orker',
    '/config/worker%2f',
    '/config/%2e%2e%2fworker',
    '/config/worker%00',
    '/config/wörker',
    '/config/Worker',
    '/config/-worker',
    '/config/worker;a',
    '/config/worker#a',
    '/config\\worker',
    '/Config/worker',
    'http://server/config/worker',
    `/config/${'a'.repeat(254)}`,
    '/'.repeat(80_000),
    `/config/${'/'.repeat(80_000)}`,
    `/config/${'a/'.repeat(40_000)}worker`,
    '/healthz/',
    '/metrics',
    '/__proto__',
  ])('%.60s does not exist', (path) => {
    expect(routeOf(path)).toEqual({ type: 'unknown' })
  })
})

it('a pool name never contains a slash, an encoded character or a step up', () => {
  const piece = fc.constantFrom('/', 'config', '..', '%2f', 'worker', '?', '.', 'a', '\\', '%')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const route = routeOf(`/config/${pieces.join('')}`)
      expect(route.type === 'config' ? route.pool : 'a').toMatch(/^[-a-z0-9.]+$/)
    }),
  )
})
