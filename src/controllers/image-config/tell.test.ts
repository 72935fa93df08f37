import { expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { PoolPlan } from './decide.ts'
import { reportOf } from './decide.ts'
import type { Problem } from './problem.ts'
import { tell } from './tell.ts'

const problem = (name: string): Problem => ({
  reason: 'BadMirrors',
  effect: 'leftOut',
  message: `ImageDigestMirrorSet ${name}: ${'x'.repeat(300)}`,
  about: { kind: 'ImageDigestMirrorSet', name },
})

/** Whom events were about. The pool says already what it has to say, so nothing is written. */
async function eventsAfter(told: PoolPlan, verdict: PoolPlan): Promise<string[]> {
  const report = { ...reportOf('99-worker-generated-registries', told), lastTransitionTime: '' }
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
  await tell(new Map([[pool, verdict]]), { client, events, signal })
  return about
}

it('no event tells again what the pool says, however much it is', async () => {
  const problems = Array.from({ length: 100 }, (_, i) => problem(`set-${i}`))
  const plan = { spec: undefined, problems }
  expect(await eventsAfter(plan, plan)).toEqual([])
})
