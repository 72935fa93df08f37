import { beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ConfigMaps, inDefault } from '../../test/store/config-maps.ts'
import { statusBody } from '../status/status-body.ts'
import { StatusError } from '../status/status-error.ts'
import { MemoryStore } from '../store/memory-store.ts'
import type { ExpiredContinue } from './continue-token.ts'
import type { ListQuery } from './list-options.ts'
import type { ListPage } from './list.ts'
import type { Scope } from './scope.ts'
import { WatchCache } from './watch-cache.ts'

let clock: VirtualClock
let store: MemoryStore
let objects: ConfigMaps
let cache: WatchCache

beforeEach(async () => {
  clock = new VirtualClock()
  store = new MemoryStore({ clock, log: silentLogger })
  cache = new WatchCache({ store, clock, log: silentLogger })
  objects = new ConfigMaps(store)
  // Revisions 2 to 6.
  for (const name of ['a', 'b', 'c', 'd', 'e']) await objects.put(name)
})

interface Shown extends Omit<ListPage, 'items'> {
  readonly items: string[]
}

/** Names with versions instead of objects. */
async function list(query?: ListQuery, scope: Scope = inDefault): Promise<Shown> {
  const page = await cache.list(scope, query)
  const items = page.items.map(({ object: { metadata } }) => {
    return `${metadata.name}@${metadata.resourceVersion}`
  })
  return { ...page, items }
}

async function refusalOf(listing: Promise<unknown>): Promise<StatusError> {
  const error = await listing.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(StatusError)
  return error as StatusError
}

const labelled =
  (label: string) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.labels?.['l'] === label

describe('a list', () => {
  it('has the newest objects, with resourceVersions', async () => {
    await objects.put('b', 'x')
    expect(await list()).toEqual({
      items: ['a@2', 'b@7', 'c@4', 'd@5', 'e@6'],
      resourceVersion: '7',
    })
    expect(await list({}, '/secrets/default/')).toEqual({ items: [], resourceVersion: '7' })
  })

  it('of one key has only that key', async () => {
    await objects.put('a-b')
    expect(await list({}, `${inDefault}a`)).toEqual({ items: ['a@2'], resourceVersion: '7' })
    expect((await list({ select: labelled('x') }, `${inDefault}a`)).items).toEqual([])
    expect((await list({}, `${inDefault}x`)).items).toEqual([])
  })

  it('has pages of one version, during any changes', async () => {
    const first = await list({ limit: 2 })
    expect(first).toEqual({
      items: ['a@2', 'b@3'],
      resourceVersion: '6',
      continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":6,"start":"/b\\u0000"}').toString(
        'base64url',
      ),
      remainingItemCount: 3,
    })
    await objects.put('c', 'x')
    await objects.remove('d')
    await objects.put('bb')
    const second = await list({ limit: 2, continue: first.continue })
    expect(second).toMatchObject({
      items: ['c@4', 'd@5'],
      resourceVersion: '6',
      remainingItemCount: 1,
    })
    expect(await list({ limit: 2, continue: second.continue })).toEqual({
      items: ['e@6'],
      resourceVersion: '6',
    })
    expect(await list({ continue: first.continue, resourceVersion: '0' })).toEqual({
      items: ['c@4', 'd@5', 'e@6'],
      resourceVersion: '6',
    })
  })

  it('has no token if all objects fit', async () => {
    expect(await list({ limit: 5 })).toEqual({
      items: ['a@2', 'b@3', 'c@4', 'd@5', 'e@6'],
      resourceVersion: '6',
    })
  })

  it('has no remainingItemCount with a selector', async () => {
    await objects.put('b', 'x')
    const first = await list({ limit: 2, select: labelled('a') })
    expect(first.items).toEqual(['a@2', 'c@4'])
    expect(first.remainingItemCount).toBeUndefined()
    const rest = await list({ limit: 2, select: labelled('a'), continue: first.continue })
    expect(rest).toEqual({ items: ['d@5', 'e@6'], resourceVersion: '7' })
  })

  it('fills a page with a selective selector', async () => {
    for (let i = 0; i < 500; i++) await objects.put(`m${i}`, i % 250 === 0 ? 'rare' : 'a')
    expect(await list({ limit: 2, select: labelled('rare') })).toEqual({
      items: ['m0@7', 'm250@257'],
      resourceVersion: '506',
    })
  })

  it('of any version ignores limits', async () => {
    const all = { items: ['a@2', 'b@3', 'c@4', 'd@5', 'e@6'], resourceVersion: '6' }
    expect(await list({ limit: 2, resourceVersion: '0' })).toEqual(all)
    const match = 'NotOlderThan'
    expect(await list({ limit: 2, resourceVersion: '0', resourceVersionMatch: match })).toEqual(all)
  })

  it('of a past version is exact if requested or with a limit', async () => {
    const exact = await list({ resourceVersion: '3', resourceVersionMatch: 'Exact' })
    expect(exact).toEqual({ items: ['a@2', 'b@3'], resourceVersion: '3' })
    const limited = await list({ resourceVersion: '4', limit: 2 })
    expect(limited).toMatchObject({
      items: ['a@2', 'b@3'],
      resourceVersion: '4',
      remainingItemCount: 1,
    })
    expect((await list({ resourceVersion: '4' })).resourceVersion).toBe('6')
    const match = 'NotOlderThan'
    const newer = await list({ resourceVersion: '4', resourceVersionMatch: match, limit: 2 })
    expect(newer).toMatchObject({ resourceVersion: '6', remainingItemCount: 3 })
  })

  it('of a compacted version is rejected', async () => {
    await store.compact(5)
    const exactly = list({ resourceVersion: '4', resourceVersionMatch: 'Exact' })
    expect(statusBody(await refusalOf(exactly))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'The resourceVersion for the provided list is too old.',
      reason: 'Expired',
      code: 410,
    })
    expect((await refusalOf(list({ resourceVersion: '4', limit: 1 }))).code).toBe(410)
    expect((await list({ resourceVersion: '4' })).items).toHaveLength(5)
  })

  it('continues inconsistently if its version is compacted', async () => {
    const first = await list({ limit: 2 })
    await objects.put('c', 'x')
    await objects.put('bb')
    await store.compact(8)
    const expired = await refusalOf(list({ limit: 2, continue: first.continue }))
    expect(expired).toMatchObject({ code: 410, reason: 'Expired' })
    const { continueToken } = expired as ExpiredContinue
    expect(Buffer.from(continueToken, 'base64url').toString()).toBe(
      '{"v":"meta.k8s.io/v1","rv":-1,"start":"/b\\u0000"}',
    )
    const rest = await list({ limit: 2, continue: continueToken })
    expect(rest).toMatchObject({ items: ['bb@8', 'c@7'], resourceVersion: '8' })
    // Consistent again from here, at the new version.
    expect(Buffer.from(rest.continue!, 'base64url').toString()).toBe(
      '{"v":"meta.k8s.io/v1","rv":8,"start":"/c\\u0000"}',
    )
  })

  it('rejects a version together with a token', async () => {
    const { continue: token } = await list({ limit: 2 })
    expect(await refusalOf(list({ resourceVersion: '6', continue: token }))).toEqual(
      new StatusError(
        400,
        'BadRequest',
        'specifying resource version is not allowed when using continue',
      ),
    )
  })

  it('waits for a version that arrives soon', async () => {
    const listing = list({ resourceVersion: '8' })
    await clock.advance(1000)
    await objects.put('f')
    await clock.advance(1000)
    await objects.put('g')
    expect(await listing).toMatchObject({ resourceVersion: '8' })
    expect(await cache.notOlderThan('8')).toBeUndefined()
  })

  it('is rejected for a version that does not arrive in three seconds', async () => {
    const listing = refusalOf(list({ resourceVersion: '1198' }))
    const getting = refusalOf(cache.notOlderThan('1198'))
    await clock.advance(2999)
    expect(clock.pending).toBeGreaterThan(1)
    await clock.advance(1)
    expect(statusBody(await listing)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Timeout: Too large resource version: 1198, current: 6',
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
      code: 504,
    })
    expect((await getting).code).toBe(504)
  })

  it.each<ListQuery>([
    { resourceVersion: '1198', resourceVersionMatch: 'Exact' },
    { resourceVersion: '1198', limit: 1 },
    {
      continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":1198,"start":"/a\\u0000"}').toString(
        'base64url',
      ),
    },
  ])('of an exact future version is rejected at once: %j', async (query) => {
    expect(statusBody(await refusalOf(list(query)))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'etcdserver: mvcc: required revision is a future revision',
      code: 500,
    })
  })

  it('rejects an invalid query before it waits', async () => {
    const query = { resourceVersion: '1198', resourceVersionMatch: 'Foo' }
    expect((await refusalOf(list(query))).code).toBe(422)
    expect((await refusalOf(list({ resourceVersion: 'abc' }))).code).toBe(500)
    expect((await refusalOf(list({ continue: 'abc' }))).code).toBe(400)
  })
})
