import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { builtInKinds } from '../../kinds/catalog/built-in-kinds.ts'
import { KindRegistry } from '../../kinds/kind-registry.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { MemoryStore } from '../../store/memory-store.ts'
import { CompiledSchemas } from '../../verbs/compiled-schemas.ts'
import { fieldOwners, patchers } from '../../verbs/patchers.ts'
import { WatchCache } from '../../watch/watch-cache.ts'
import { RequestMetrics } from './request-metrics.ts'

const clock = new VirtualClock()
const log = silentLogger
const store = new MemoryStore({ clock, log })
const kinds = new KindRegistry(builtInKinds)
const cache = new WatchCache({ store, clock, log })
const schemas = new CompiledSchemas()
const context = {
  store,
  clock,
  random: seededRandom(1),
  kinds,
  schemas,
  patcher: patchers,
  fields: fieldOwners,
}
const nodes = kinds.find('', 'v1', 'nodes')!
const linesOf = (metrics: RequestMetrics, name: string): string[] =>
  metrics
    .text(context, cache)
    .split('\n')
    .filter((line) => line.startsWith(name))

describe('request metrics', () => {
  it('count requests and their duration', async () => {
    const metrics = new RequestMetrics(clock)
    const request = metrics.begin()
    request.isAbout({ verb: 'get', kind: nodes, subresource: 'status' })
    await clock.advance(30)
    request.answered(200)
    const labels = 'verb="GET",group="",version="v1",resource="nodes",subresource="status"'
    expect(linesOf(metrics, 'apiserver_request_total')).toEqual([
      `apiserver_request_total{${labels},code="200"} 1`,
    ])
    const buckets = linesOf(metrics, 'apiserver_request_duration_seconds')
    expect(buckets.slice(0, 3)).toEqual([
      `apiserver_request_duration_seconds_bucket{${labels},le="0.005"} 0`,
      `apiserver_request_duration_seconds_bucket{${labels},le="0.025"} 0`,
      `apiserver_request_duration_seconds_bucket{${labels},le="0.05"} 1`,
    ])
    expect(buckets.at(-1)).toBe(`apiserver_request_duration_seconds_count{${labels}} 1`)
  })

  it('count open watches without their duration', () => {
    const metrics = new RequestMetrics(clock)
    const [one, two] = [metrics.begin(), metrics.begin()]
    for (const watch of [one, two]) watch.isAbout({ verb: 'watch', kind: nodes })
    one.answered(200)
    const labels = 'verb="WATCH",group="",version="v1",resource="nodes",subresource=""'
    expect(linesOf(metrics, 'apiserver_longrunning')).toEqual([
      `apiserver_longrunning_requests{${labels}} 1`,
    ])
    expect(linesOf(metrics, 'apiserver_request_duration')).toEqual([])
  })

  it('have few series for any clients and CRDs', () => {
    const metrics = new RequestMetrics(clock)
    for (let i = 0; i < 1000; i++) {
      const made: ServedKind = { ...nodes, group: `g${i}.example.org` }
      const known = metrics.begin()
      known.isAbout({ verb: 'list', kind: made })
      known.answered(200)
      const strange = metrics.begin()
      strange.isAbout({ verb: `verb${i}` })
      strange.answered(404)
    }
    const series = linesOf(metrics, 'apiserver_request_total')
    expect(series).toHaveLength(302)
    const unknown = 'verb="",group="",version="",resource="",subresource=""'
    expect(series).toContain(`apiserver_request_total{${unknown},code="404"} 1000`)
    const others = 'verb="LIST",group="other",version="",resource="other",subresource=""'
    expect(series).toContain(`apiserver_request_total{${others},code="200"} 700`)
  })
})

it('metrics report the current sizes of the store and the watch cache', async () => {
  const metrics = new RequestMetrics(clock)
  await store.write('/registry/core/nodes/n1', '{"metadata":{"name":"n1"}}', 0)
  expect(linesOf(metrics, 'apiserver_storage_objects{resource="nodes"}')).toEqual([
    'apiserver_storage_objects{resource="nodes"} 1',
  ])
  expect(linesOf(metrics, 'apiserver_storage_revision')).toEqual(['apiserver_storage_revision 2'])
  expect(linesOf(metrics, 'apiserver_storage_size')).toEqual(['apiserver_storage_size_bytes 49'])
  expect(linesOf(metrics, 'apiserver_watch_cache_')).toEqual([
    'apiserver_watch_cache_watchers 0',
    'apiserver_watch_cache_changes 1',
    'apiserver_watch_cache_characters 26',
    'apiserver_watch_cache_oldest_revision 1',
    'apiserver_watch_cache_revision 2',
  ])
})
