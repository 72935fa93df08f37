import { describe, expect, it } from 'vitest'
import { Waiting } from '@machinist/core/errors'
import type { DrainPolicy } from '../../api/kinds/resources.ts'
import { stepOn } from '../drain/node-server.fixture.ts'
import { nodeWith } from '../drain/objects.fixture.ts'
import { stillCache } from '../still-cache.fixture.ts'
import { gather } from './gather.ts'
import type { UncordonCaches } from './inputs.ts'

const policy = (operator: string): DrainPolicy => ({
  metadata: { name: 'worker' },
  spec: { keepCordoned: true, skipPodSelector: { matchExpressions: [{ key: 'a', operator }] } },
})
const cachesWith = (operator = 'Exists'): UncordonCaches =>
  ({
    drainPolicies: stillCache(policy(operator)),
    poolOf: () => 'worker',
  }) as unknown as UncordonCaches
const requested = nodeWith({ desired: 'uncordon-x' })

describe('the facts of an uncordon', () => {
  it('do not exist without the node', async () => {
    expect(await gather('worker-1', cachesWith(), stepOn())).toBeUndefined()
  })

  it('contain the settings of the DrainPolicy', async () => {
    const facts = await gather('worker-1', cachesWith(), stepOn(requested))
    expect(facts).toMatchObject({ node: requested, settings: { keepCordoned: true } })
    expect(facts).not.toHaveProperty('readFailure')
  })

  it('contain why the DrainPolicy is invalid', async () => {
    const facts = await gather('worker-1', cachesWith('Perhaps'), stepOn(requested))
    expect(facts?.readFailure).toBeInstanceOf(Waiting)
    expect(facts?.readFailure).toMatchObject({ reason: 'InvalidDrainPolicy', afterMs: 60_000 })
  })

  it('need no valid DrainPolicy without a request', async () => {
    const facts = await gather('worker-1', cachesWith('Perhaps'), stepOn(nodeWith({})))
    expect(facts).toMatchObject({ settings: { keepCordoned: false } })
    expect(facts).not.toHaveProperty('readFailure')
  })
})
