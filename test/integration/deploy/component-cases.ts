import { expect, it } from 'vitest'
import { namespaces } from '@machinist/kube/kinds/core'
import { firstDaemon } from './daemon-scenarios.ts'
import { requestsOf } from './scenario.ts'
import { userOf } from './identities.ts'
import { formatRequest } from './recorded-request.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'
import { startWorkers } from './start-workers.ts'
import { allScenarios } from './all-scenarios.ts'

export const components = ['operator', 'controllers', 'signer', 'daemon', 'server'] as const

/** Runs all scenarios in a whole cluster. */
export function componentCases(stage: () => Stage): void {
  it('every component does its whole job with its own credential only', async () => {
    const { client, kubectl } = stage()
    await client.create(namespaces, { metadata: { name: 'openshift-machine-api' } })
    await kubectl('apply', '--server-side', '-k', folder('machine-api'))
    await firstDaemon(stage())
    const cluster = await startWorkers(stage())
    try {
      for (const scenario of allScenarios) await scenario(stage(), cluster)
    } finally {
      await cluster.stop()
    }
    const sent = components.map((part) => requestsOf(stage(), userOf(part)))
    expect(
      sent.map((requests) => requests.filter(({ code }) => code === 403).map(formatRequest)),
    ).toEqual(components.map(() => []))
    expect(Math.min(...sent.map(({ length }) => length))).toBeGreaterThan(30)
  })
}
