import { describe, expect, it } from 'vitest'
import type { ApiRequest, Transport } from '@machinist/kube/transport/transport'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { simulateConfig } from './config-simulation.ts'

/** The first violation in the first simulation that violates this invariant (or any); undefined if none does. */
async function firstViolation(
  seeds: number,
  tamper: (transport: Transport) => Transport,
  rule = '',
): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = await simulateConfig({ seed, tamper })
    if (violations[0]?.startsWith(rule)) return violations[0]
  }
  return undefined
}

/** A transport that changes requests. */
const changing = (change: (request: ApiRequest) => ApiRequest) => (transport: Transport) => ({
  request: (request: ApiRequest) => transport.request(change(request)),
  stream: (request: ApiRequest) => transport.stream(request),
  close: () => transport.close(),
})

/** A transport that changes the objects in responses. */
const pretending = (change: (text: string) => string) => (transport: Transport) => ({
  async request(request: ApiRequest) {
    const answer = await transport.request(request)
    return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) }
  },
  async *stream(request: ApiRequest) {
    for await (const chunk of transport.stream(request)) {
      yield Buffer.from(change(Buffer.from(chunk).toString()))
    }
  },
  close: () => transport.close(),
})

const annotationsIn = (request: ApiRequest): Record<string, string> =>
  (request.body as { metadata?: { annotations?: Record<string, string> } } | undefined)?.metadata
    ?.annotations ?? {}

describe('a config simulation', { timeout: 300_000 }, () => {
  it('is deterministic', async () => {
    for (const seed of [7, 20]) {
      const { digest } = await simulateConfig({ seed })
      expect((await simulateConfig({ seed })).digest).toBe(digest)
    }
  })

  it('differs for another seed', async () => {
    const [one, other] = [await simulateConfig({ seed: 1 }), await simulateConfig({ seed: 2 })]
    expect(one.digest).not.toBe(other.digest)
  })

  it('returns its log only when an invariant was violated', async () => {
    expect((await simulateConfig({ seed: 3 })).log).toEqual([])
  })

  it('detects controllers that use a larger budget', async () => {
    const more = pretending((text) =>
      text
        .replaceAll('"maxUnavailable"', '"was"')
        .replaceAll('"nodeSelector"', '"maxUnavailable":3,"nodeSelector"'),
    )
    expect(await firstViolation(30, more)).toMatch(/^never more nodes disrupted than the budget: /)
  })

  it('detects controllers that do not see nodes out of service', async () => {
    const blind = (transport: Transport): Transport => {
      const see = pretending((text) =>
        text.replaceAll('"unschedulable":true', '"unschedulable":false'),
      )(transport)
      const isCache = ({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean =>
        method === 'GET' && path.endsWith('/nodes')
      return {
        request: (request) => (isCache(request) ? see : transport).request(request),
        stream: (request) => (isCache(request) ? see : transport).stream(request),
        close: () => transport.close(),
      }
    }
    // With a larger budget, other invariants may be violated first.
    const rule = 'never more nodes disrupted than the budget'
    expect(await firstViolation(100, blind, rule)).toContain(rule)
  })

  it('detects controllers that do not see that a pool is paused', async () => {
    const blind = pretending((text) => text.replaceAll('"paused":true', '"paused":false'))
    expect(await firstViolation(60, blind, 'a paused')).toMatch(/^a paused pool updates no node: /)
  })

  it('detects a drain that is acknowledged before the pods have left', async () => {
    const early = changing((request) => {
      const drain = annotationsIn(request)['machinist.dev/drain']
      if (request.method !== 'PATCH' || !drain) return request
      const { request: requested } = JSON.parse(drain) as { request: string }
      const body = request.body as { metadata: { annotations: object } }
      const annotations = {
        ...body.metadata.annotations,
        [nodeAnnotations.lastAppliedDrain]: requested,
      }
      return { ...request, body: { ...body, metadata: { ...body.metadata, annotations } } }
    })
    expect(await firstViolation(30, early)).toMatch(/^no pod is lost to a reboot: /)
  })
})
