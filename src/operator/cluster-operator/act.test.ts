import { describe, expect, it } from 'vitest'
import { AnsweringServer, context } from '@machinist/testing/answering-server'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { show } from './act.ts'

const place = '/apis/config.openshift.io/v1/clusteroperators'
const object = (version?: string): ClusterOperator => ({
  metadata: { name: 'machine-config', resourceVersion: '7' },
  spec: {},
  ...(version !== undefined && { status: { versions: [{ name: 'operator', version }] } }),
})
const wanted = (): ClusterOperatorStatus => ({ versions: [{ name: 'operator', version: '2' }] })
const { signal } = context

describe('showing the status', () => {
  it('costs nothing when it is shown already', async () => {
    const { client, asked } = new AnsweringServer()
    expect(await show(object('2'), wanted, { client, signal })).toEqual({ is: 'unchanged' })
    expect(asked).toEqual([])
  })

  it('is one write', async () => {
    const { client, asked, bodies } = new AnsweringServer(object('1'), object('2'))
    expect(await show(object('1'), wanted, { client, signal })).toEqual({
      is: 'written',
      before: { versions: [{ name: 'operator', version: '1' }] },
      object: object('2'),
    })
    expect(asked).toEqual([`GET ${place}/machine-config`, `PUT ${place}/machine-config/status`])
    expect(bodies[1]).toMatchObject({
      metadata: { resourceVersion: '7' },
      status: { versions: [{ name: 'operator', version: '2' }] },
    })
  })

  it('is no write when the cache was behind', async () => {
    const { client, asked } = new AnsweringServer(object('2'))
    expect(await show(object('1'), wanted, { client, signal })).toEqual({ is: 'unchanged' })
    expect(asked).toEqual([`GET ${place}/machine-config`])
  })

  it('begins anew when somebody else wrote in between', async () => {
    const conflict = [409, 'Conflict'] as const
    const server = new AnsweringServer(object('1'), conflict, object('1.5'), object('2'))
    const seen: (string | undefined)[] = []
    const noting = (found: ClusterOperatorStatus | undefined): ClusterOperatorStatus => {
      seen.push(found?.versions?.[0]?.version)
      return wanted()
    }
    const shown = await show(object('1'), noting, { client: server.client, signal })
    expect(seen).toEqual(['1', '1', '1.5'])
    expect(shown).toMatchObject({ is: 'written', before: { versions: [{ version: '1.5' }] } })
    expect(server.asked.filter((line) => line.startsWith('PUT'))).toHaveLength(2)
  })

  it('makes the object where it is missing', async () => {
    const server = new AnsweringServer(object(), object(), object('2'))
    const shown = await show(undefined, wanted, { client: server.client, signal })
    expect(shown).toMatchObject({ is: 'written', before: undefined })
    expect(server.asked.map((line) => line.split(' ')[0])).toEqual(['POST', 'GET', 'PUT'])
  })

  it('finds the object that somebody else made', async () => {
    const there = [409, 'AlreadyExists'] as const
    const server = new AnsweringServer(there, object('1'), object('2'))
    const shown = await show(undefined, wanted, { client: server.client, signal })
    expect(shown).toMatchObject({ is: 'written' })
  })

  it('is not possible where there is no such kind', async () => {
    const { client } = new AnsweringServer([404, 'NotFound'])
    expect(await show(undefined, wanted, { client, signal })).toEqual({ is: 'not served' })
  })

  it('fails when it may not be', async () => {
    const { client } = new AnsweringServer([403, 'Forbidden'])
    await expect(show(undefined, wanted, { client, signal })).rejects.toThrow('quotes')
  })
})
