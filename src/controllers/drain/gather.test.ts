import { describe, expect, it } from 'vitest'
import { Waiting } from '@machinist/core/errors'
import { ApiFailure } from '@machinist/kube/failure'
import type { DrainPolicy } from '../../api/kinds/resources.ts'
import { stillCache } from '../still-cache.fixture.ts'
import { gather } from './gather.ts'
import type { DrainCaches } from './inputs.ts'
import { stepOn } from './node-server.fixture.ts'
import type { NodeSketch } from './objects.fixture.ts'
import { nodeWith } from './objects.fixture.ts'

const policy = (operator: string): DrainPolicy => ({
  metadata: { name: 'worker' },
  spec: { skipPodSelector: { matchExpressions: [{ key: 'stays', operator }] } },
})
const cachesWith = (operator = 'Exists'): DrainCaches =>
  ({
    machineConfigNodes: stillCache(),
    daemonSets: stillCache(),
    drainPolicies: stillCache(policy(operator)),
    poolOf: () => 'worker',
  }) as unknown as DrainCaches

const record = '{"request":"drain-x","since":"2026-03-01T12:00:00.000Z"}'
const cordoned: NodeSketch = { desired: 'drain-x', unschedulable: true, record }

describe('the facts of a drain', () => {
  it('do not exist without the node', async () => {
    expect(await gather('worker-1', cachesWith(), stepOn())).toBeUndefined()
  })

  it('contain why pods could not be listed', async () => {
    const facts = await gather('worker-1', cachesWith(), stepOn(nodeWith(cordoned)))
    expect(facts).toMatchObject({ node: nodeWith(cordoned), pods: [], reported: [] })
    expect(facts?.readFailure).toBeInstanceOf(ApiFailure)
  })

  it('contain why the pool could not be read', async () => {
    const facts = await gather('worker-1', cachesWith(), stepOn(nodeWith({ desired: 'drain-x' })))
    expect(facts?.readFailure).toBeInstanceOf(ApiFailure)
  })

  it('contain why the DrainPolicy is invalid', async () => {
    const facts = await gather('worker-1', cachesWith('Perhaps'), stepOn(nodeWith(cordoned)))
    expect(facts?.readFailure).toBeInstanceOf(Waiting)
    expect(facts?.readFailure).toMatchObject({ reason: 'InvalidDrainPolicy', afterMs: 60_000 })
  })

  it.each<[string, NodeSketch]>([
    ['no request', {}],
    ['a requested uncordon', { desired: 'uncordon-x' }],
    ['an invalid request', { desired: 'foo-x' }],
  ])('need no other reads with %s', async (_, sketch) => {
    const facts = await gather('worker-1', cachesWith('Perhaps'), stepOn(nodeWith(sketch)))
    expect(facts).toBeDefined()
    expect(facts).not.toHaveProperty('readFailure')
  })
})
