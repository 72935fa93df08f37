import { expect, it } from 'vitest'
import { namespaces } from '../../src/kube/kinds/core.ts'
import { lines } from './cases.ts'
import { alone } from './daemon-deeds.ts'
import { userOf } from './identities.ts'
import type { Recorded } from './recorded.ts'
import { inWords } from './recorded.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'
import { startWorkers } from './start-workers.ts'
import { wholeDay } from './whole-day.ts'

export const components = ['operator', 'controllers', 'signer', 'daemon'] as const

/** Whole days of whole clusters. */
export function wholeJobs(stage: () => Stage): void {
  it('passes a dry run of the server', async () => {
    const dry = lines(await stage().kubectl('apply', '--dry-run=server', '-k', folder('')))
    expect(dry.filter((line) => !line.endsWith(' (server dry run)'))).toEqual([])
  })

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
    const asked = components.map((part) => requestsOf(stage(), part))
    expect(
      asked.map((requests) => requests.filter(({ code }) => code === 403).map(inWords)),
    ).toEqual(components.map(() => []))
    expect(Math.min(...asked.map(({ length }) => length))).toBeGreaterThan(30)
  })
}

export function requestsOf(stage: Stage, part: string): Recorded[] {
  const user = userOf(part)
  return stage.recorded().filter((request) => request.user === user)
}
