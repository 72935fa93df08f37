import { expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { ApiFailure } from '@machinist/kube/failure'
import type { ApiRequest } from '@machinist/kube/transport/transport'
import { machineConfigNodes } from '../../../src/api/kinds/resources.ts'
import type { Attempt } from './attempts.ts'
import { attempts, change, group } from './attempts.ts'
import { open, tokenOf, transportAs } from './identities.ts'
import type { Stage } from './stage.ts'

/** Requires the nodes worker-0 and worker-1. */
export function refusedAttempts(stage: () => Stage): void {
  it.each(Object.entries(attempts))('a daemon may not %s', async (_, [attempt, reason]) => {
    expect(await refusal(stage(), 'daemon worker-0', attempt)).toMatch(reason)
  })

  it('a daemon may not write the status of another MachineConfigNode', async () => {
    const body = await stage().client.get(machineConfigNodes, { name: 'worker-1' })
    const path = `${group}/machineconfignodes/worker-1/status`
    expect(await refusal(stage(), 'daemon worker-0', { method: 'PUT', path, body })).toMatch(
      /'mcn-guards' denied request: node worker-0 may not write the MachineConfigNode of worker-1$/,
    )
  })

  it('a token that is bound to no node may not write', async () => {
    const token = await tokenOf(stage().client, 'daemon')
    const transport = open(stage(), {}, { authorization: `Bearer ${token}` })
    const tried = await failed(
      transport.request(sent(change(`${group}/machineconfignodes/worker-0`))),
    )
    transport.close()
    expect(tried).toMatch(/'mcn-guards' denied request: This credential does not say whose it is: /)
  })

  it('a daemon writes its own MachineConfigNode', async () => {
    const transport = transportAs(stage(), 'daemon worker-0')
    const path = `${group}/machineconfignodes/worker-0`
    const { code } = await transport.request(
      sent(change(path, { metadata: { labels: { a: null } } })),
    )
    transport.close()
    expect(code).toBe(200)
  })
}

/** The message of the rejection; or `it was allowed`. */
export async function refusal(stage: Stage, who: string, attempt: Attempt): Promise<string> {
  const transport = transportAs(stage, who)
  try {
    return await failed(transport.request(sent(attempt)))
  } finally {
    transport.close()
  }
}

async function failed(request: Promise<unknown>): Promise<string> {
  try {
    await request
    return 'it was allowed'
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 403) throw error
    return messageOf(error)
  }
}

const sent = (attempt: Attempt): ApiRequest => ({
  ...attempt,
  ...(attempt.method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
})
