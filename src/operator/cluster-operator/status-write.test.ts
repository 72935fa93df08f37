import { describe, expect, it } from 'vitest'
import { ScriptedServer, context } from '@machinist/testing/servers/scripted-server'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { act } from './act.ts'
import type { ClusterOperatorPlan } from './decide.ts'
import type { ClusterOperatorFacts } from './facts.ts'
import type { StatusWrite } from './status-write.ts'
import { writeStatus as writeStatusOf } from './status-write.ts'

const place = '/apis/config.openshift.io/v1/clusteroperators'
const object = (version?: string): ClusterOperator => ({
  metadata: { name: 'machine-config', resourceVersion: '7' },
  spec: {},
  ...(version !== undefined && { status: { versions: [{ name: 'operator', version }] } }),
})
const desired = (): ClusterOperatorStatus => ({ versions: [{ name: 'operator', version: '2' }] })
const { signal } = context

/** As the controller does: creates the object if it is missing, then writes its status. */
async function writeStatus(
  found: ClusterOperator | undefined,
  status: (found: ClusterOperatorStatus | undefined) => ClusterOperatorStatus,
  step: Pick<StepContext, 'client' | 'signal'>,
): Promise<StatusWrite | { readonly type: 'notServed' }> {
  const plan = { type: 'report' } as ClusterOperatorPlan
  const { isServed } = await act(plan, { found } as ClusterOperatorFacts, step)
  return isServed ? writeStatusOf(found, status, step) : { type: 'notServed' }
}

describe('writing the status', () => {
  it('sends no request if nothing changes', async () => {
    const { client, requests } = new ScriptedServer()
    expect(await writeStatus(object('2'), desired, { client, signal })).toEqual({
      type: 'unchanged',
    })
    expect(requests).toEqual([])
  })

  it('is one request', async () => {
    const { client, requests, bodies } = new ScriptedServer(object('1'), object('2'))
    expect(await writeStatus(object('1'), desired, { client, signal })).toEqual({
      type: 'written',
      before: { versions: [{ name: 'operator', version: '1' }] },
      object: object('2'),
    })
    expect(requests).toEqual([`GET ${place}/machine-config`, `PUT ${place}/machine-config/status`])
    expect(bodies[1]).toMatchObject({
      metadata: { resourceVersion: '7' },
      status: { versions: [{ name: 'operator', version: '2' }] },
    })
  })

  it('is skipped if only the cache is stale', async () => {
    const { client, requests } = new ScriptedServer(object('2'))
    expect(await writeStatus(object('1'), desired, { client, signal })).toEqual({
      type: 'unchanged',
    })
    expect(requests).toEqual([`GET ${place}/machine-config`])
  })

  it('is retried after a conflict', async () => {
    const conflict = [409, 'Conflict'] as const
    const server = new ScriptedServer(object('1'), conflict, object('1.5'), object('2'))
    const seen: (string | undefined)[] = []
    const noting = (found: ClusterOperatorStatus | undefined): ClusterOperatorStatus => {
      seen.push(found?.versions?.[0]?.version)
      return desired()
    }
    const result = await writeStatus(object('1'), noting, { client: server.client, signal })
    expect(seen).toEqual(['1', '1', '1.5'])
    expect(result).toMatchObject({ type: 'written', before: { versions: [{ version: '1.5' }] } })
    expect(server.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2)
  })

  it('creates the object if it is missing', async () => {
    const server = new ScriptedServer(object(), object(), object('2'))
    const result = await writeStatus(undefined, desired, { client: server.client, signal })
    expect(result).toMatchObject({ type: 'written', before: undefined })
    expect(server.requests.map((line) => line.split(' ')[0])).toEqual(['POST', 'GET', 'PUT'])
  })

  it('accepts an object that was created concurrently', async () => {
    const there = [409, 'AlreadyExists'] as const
    const server = new ScriptedServer(there, object('1'), object('2'))
    const result = await writeStatus(undefined, desired, { client: server.client, signal })
    expect(result).toMatchObject({ type: 'written' })
  })

  it('is not possible if the kind is not served', async () => {
    const { client } = new ScriptedServer([404, 'NotFound'])
    expect(await writeStatus(undefined, desired, { client, signal })).toEqual({ type: 'notServed' })
  })

  it('fails if the request is forbidden', async () => {
    const { client } = new ScriptedServer([403, 'Forbidden'])
    await expect(writeStatus(undefined, desired, { client, signal })).rejects.toThrow('quotes')
  })
})
