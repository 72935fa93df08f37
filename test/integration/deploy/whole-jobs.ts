import { expect, it } from 'vitest'
import { namespaces } from '@machinist/kube/kinds/core'
import { alone } from './daemon-deeds.ts'
import { requestsOf } from './deed.ts'
import { userOf } from './identities.ts'
import { inWords } from './recorded.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'
import { startWorkers } from './start-workers.ts'
import { wholeDay } from './whole-day.ts'

export const components = ['operator', 'controllers', 'signer', 'daemon'] as const

/** Whole days of whole clusters. */
export function wholeJobs(stage: () => Stage): void {
  it('every component does its whole job with nothing but its own credential', async () => {
    const { client, kubectl } = stage()
    await client.create(namespaces, { metadata: { name: 'openshift-machine-api' } })
    await kubectl('apply', '--server-side', '-k', folder('machine-api'))
    await alone(stage())
    const cluster = await startWorkers(stage())
    try {
      for (const deed of wholeDay) await deed(stage(), cluster)
    } finally {
      await cluster.stop()
    }
    const asked = components.map((part) => requestsOf(stage(), userOf(part)))
    expect(
      asked.map((requests) => requests.filter(({ code }) => code === 403).map(inWords)),
    ).toEqual(components.map(() => []))
    expect(Math.min(...asked.map(({ length }) => length))).toBeGreaterThan(30)
  })
}
