import { expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Problem } from './model/problem.ts'
import type { PoolPlan } from './pool-plan.ts'
import { poolCondition } from './pool-plan.ts'
import { reportProblems } from './report.ts'

const problem = (name: string): Problem => ({
  reason: 'BadMirrors',
  effect: 'leftOut',
  message: `ImageDigestMirrorSet ${name}: ${'x'.repeat(300)}`,
  about: { kind: 'ImageDigestMirrorSet', name },
})

/** The names of the objects with events. The condition is up to date, so nothing is written. */
async function eventsAfter(before: PoolPlan, plan: PoolPlan): Promise<string[]> {
  const report = {
    ...poolCondition('99-worker-generated-registries', before),
    lastTransitionTime: '',
  }
  const pool: MachineConfigPool = {
    metadata: { name: 'worker' },
    spec: {},
    status: { conditions: [report] },
  }
  const about: string[] = []
  const events = {
    normal: () => undefined,
    warning: (object: { name?: string }) => about.push(object.name ?? ''),
  }
  const client = { clock: { now: () => 0 } } as unknown as KubeClient
  const { signal } = new AbortController()
  await reportProblems(new Map([[pool, plan]]), { client, events, signal })
  return about
}

it('no event repeats problems that the condition of the pool reports, even if its message is truncated', async () => {
  const problems = Array.from({ length: 100 }, (_, i) => problem(`set-${i}`))
  const plan = { spec: undefined, problems }
  expect(await eventsAfter(plan, plan)).toEqual([])
})
