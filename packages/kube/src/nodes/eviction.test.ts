import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { answer, serve } from '@machinist/testing/servers/http-server'
import { KubeClient } from '../client/client.ts'
import { fixedConnection } from '../connection/connection.ts'
import { ConnectionFailure } from '../failure.ts'
import { HttpTransport } from '../transport/http-transport.ts'
import type { EvictionOptions, EvictionOutcome } from './eviction.ts'
import { evict } from './eviction.ts'

const pod = { namespace: 'shop', name: 'web-1' }

async function evicting(
  code: number,
  status: object,
  options: EvictionOptions = {},
  headers: Record<string, string> = {},
): Promise<{ outcome: EvictionOutcome; asks: unknown[] }> {
  const asks: unknown[] = []
  await using server = await serve((request, response, body) => {
    asks.push([request.method, request.url, JSON.parse(body)])
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    answer(response, code, status)
  })
  const outcome = await evict(clientOf(server.url), pod, options)
  return { outcome, asks }
}

function clientOf(server: string): KubeClient {
  const connection = fixedConnection({ server, tls: {}, headers: {} })
  const transport = new HttpTransport({ connection, clock: systemClock })
  return new KubeClient({ transport, clock: systemClock })
}

// The response of kube-apiserver 1.32.4 when the budget does not allow the eviction.
const budget = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  reason: 'TooManyRequests',
  details: {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: 'The disruption budget pdb needs 1 healthy pods and has 1 currently',
      },
    ],
  },
  code: 429,
}

describe('evicting a pod', () => {
  it('posts an Eviction', async () => {
    const { outcome, asks } = await evicting(201, { kind: 'Status', status: 'Success' })
    expect(outcome).toEqual({ outcome: 'evicted' })
    expect(asks).toEqual([
      [
        'POST',
        '/api/v1/namespaces/shop/pods/web-1/eviction',
        {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'web-1', namespace: 'shop' },
          deleteOptions: {},
        },
      ],
    ])
  })

  it('sends the options', async () => {
    const options = { graceSeconds: 0, uid: 'u-1', dryRun: true }
    const { asks } = await evicting(201, { kind: 'Status', status: 'Success' }, options)
    expect(asks).toMatchObject([
      [
        'POST',
        '/api/v1/namespaces/shop/pods/web-1/eviction',
        {
          deleteOptions: { gracePeriodSeconds: 0, preconditions: { uid: 'u-1' }, dryRun: ['All'] },
        },
      ],
    ])
  })

  it('is blocked by a budget, with its message and without a retry', async () => {
    const message = 'The disruption budget pdb needs 1 healthy pods and has 1 currently'
    const blocked = await evicting(429, budget)
    expect(blocked.outcome).toEqual({ outcome: 'blocked', message })
    expect(blocked.asks).toHaveLength(1)
    const later = await evicting(429, budget, {}, { 'retry-after': '10' })
    expect(later.outcome).toEqual({ outcome: 'blocked', message, retryAfterMs: 10_000 })
  })

  it.each<[string, number, object, EvictionOptions, EvictionOutcome]>([
    ['a missing pod', 404, { reason: 'NotFound' }, {}, { outcome: 'gone' }],
    ['a pod with another UID', 409, { reason: 'Conflict' }, { uid: 'u-1' }, { outcome: 'gone' }],
    [
      'a conflict without a UID',
      409,
      { reason: 'Conflict', message: 'm' },
      {},
      { outcome: 'refused', message: 'm', code: 409 },
    ],
    [
      'an overloaded server',
      429,
      { message: 'too many requests', details: { retryAfterSeconds: 3 } },
      {},
      { outcome: 'busy', message: 'too many requests', retryAfterMs: 3000 },
    ],
    ['an unavailable server', 503, { message: 'm' }, {}, { outcome: 'busy', message: 'm' }],
    [
      'several budgets on one pod',
      500,
      {
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
      {},
      {
        outcome: 'refused',
        code: 500,
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    ],
    [
      'a missing permission',
      403,
      { message: 'm' },
      {},
      { outcome: 'refused', message: 'm', code: 403 },
    ],
  ])('%s', async (_, code, status, options, outcome) => {
    const got = await evicting(code, { kind: 'Status', code, ...status }, options)
    expect(got.outcome).toEqual(outcome)
  })

  it('throws network errors', async () => {
    const server = await serve(() => {})
    await server[Symbol.asyncDispose]()
    const failure = await evict(clientOf(server.url), pod).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectionFailure)
  })
})
