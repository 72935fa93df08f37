import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { until } from '@machinist/testing/until'
import { featureGates, nodeConfigs } from '../../../src/api/openshift-config.ts'
import { sharedCaches } from '../../../src/controllers/shared-caches.ts'
import { installLooseKinds } from '../../../src/api/definitions/definitions.fixture.ts'

it('only a kind that was served before is lost', async () => {
  await using server = await startServer()
  const { client } = server
  await installLooseKinds(client, [nodeConfigs, featureGates])
  const stop = new AbortController()
  const running: Promise<unknown>[] = []
  const tools = { clock: systemClock, random: seededRandom(7), log: silentLogger }
  const caches = sharedCaches({ ...tools, client, metrics: new Metrics() }, (informer) => {
    running.push(informer.start(stop.signal))
  })
  await Promise.all([
    caches.featureGates.synced(),
    caches.nodeConfigs.synced(),
    caches.schedulers.synced(),
  ])
  expect(caches.lostKinds()).toEqual([])
  const { plural, group } = featureGates
  await client.remove(customResourceDefinitions, { name: `${plural}.${group}` })
  await until('it is lost', () => caches.lostKinds().length > 0)
  expect(caches.lostKinds()).toEqual([featureGates])
  expect(caches.lostKinds()).not.toContain(nodeConfigs)
  stop.abort()
  await Promise.all(running)
})

it('the cache of Nodes keeps only fields that controllers read', async () => {
  await using server = await startServer()
  const { client } = server
  const conditions = [{ type: 'Ready', status: 'True' as const }]
  const images = [{ names: ['registry.example.com/app'], sizeBytes: 1 }]
  const status = { conditions, images, nodeInfo: { kubeletVersion: 'v1.32.4' } }
  const node = {
    metadata: { name: 'n', labels: { l: 'x' } },
    spec: { unschedulable: true },
    status,
  } as object
  await client.create(nodes, node as Node)
  const stop = new AbortController()
  const running: Promise<unknown>[] = []
  const tools = { clock: systemClock, random: seededRandom(7), log: silentLogger }
  const caches = sharedCaches({ ...tools, client, metrics: new Metrics() }, (informer) => {
    running.push(informer.start(stop.signal))
  })
  await caches.nodes.synced()
  const cached = caches.nodes.get('n')!
  expect(cached).toMatchObject({
    metadata: { name: 'n', labels: { l: 'x' } },
    spec: { unschedulable: true },
    status: { conditions },
  })
  expect(Object.keys(cached.status!)).toEqual(['conditions'])
  stop.abort()
  await Promise.all(running)
})
