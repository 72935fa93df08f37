import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { decide } from '../../../../src/daemon/follow/decide/decide.ts'
import { FollowMemory } from '../../../../src/daemon/follow/memory.ts'
import { announce } from '../../../../src/daemon/follow/report.ts'
import type { NodeReporter } from '../../../../src/daemon/report/reporter.ts'
import { config, facts, node } from './facts.ts'

/** The versions of the Node with which a decision writes its annotations. */
async function versionsWritten(given: Parameters<typeof facts>[0]): Promise<unknown[]> {
  const all = facts(given)
  const versions: unknown[] = []
  const ignore = (): void => undefined
  const reporter = {
    annotate: async (_changes: unknown, seen?: string) => void versions.push(seen),
    event: ignore,
    emit: ignore,
    milestone: ignore,
    metrics: { missing: ignore, state: ignore },
  } as unknown as NodeReporter
  const memory = new FollowMemory(new VirtualClock(), seededRandom(1))
  await announce(decide(all), all, { reporter, memory, log: silentLogger })
  return versions
}

describe('the annotations of a Node', () => {
  it('are written for the version of the Node that was read, also Done', async () => {
    const working = { ...node({ current: 'a', desired: 'a', state: 'Working' }), version: '7' }
    expect(await versionsWritten({ node: working, configs: { a: config('a') } })).toEqual(['7'])
  })
})
