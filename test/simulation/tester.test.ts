import { describe, expect, it } from 'vitest'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import type { Request, Transport } from '@machinist/kube/transport'
import { simulate } from './world.ts'

/** What is broken first, in the first of these worlds where that is this rule (or any); undefined if nowhere. */
async function firstBroken(
  seeds: number,
  tamper: (transport: Transport) => Transport,
  rule = '',
): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = await simulate({ seed, tamper })
    if (violations[0]?.startsWith(rule)) return violations[0]
  }
  return undefined
}

/** The same transport with other requests. */
const changing = (change: (request: Request) => Request) => (transport: Transport) => ({
  request: (request: Request) => transport.request(change(request)),
  stream: (request: Request) => transport.stream(request),
  close: () => transport.close(),
})

/** The same transport with other objects in the answers. */
const pretending = (change: (text: string) => string) => (transport: Transport) => ({
  async request(request: Request) {
    const answer = await transport.request(request)
    return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) }
  },
  async *stream(request: Request) {
    for await (const chunk of transport.stream(request)) {
      yield Buffer.from(change(Buffer.from(chunk).toString()))
    }
  },
  close: () => transport.close(),
})

const annotationsIn = (request: Request): Record<string, string> =>
  (request.body as { metadata?: { annotations?: Record<string, string> } } | undefined)?.metadata
    ?.annotations ?? {}

describe('a simulated world', { timeout: 300_000 }, () => {
  it('is the same every time', async () => {
    for (const seed of [7, 20]) {
      const { digest } = await simulate({ seed })
      expect((await simulate({ seed })).digest).toBe(digest)
    }
  })

  it('is another one for another seed', async () => {
    const [one, other] = [await simulate({ seed: 1 }), await simulate({ seed: 2 })]
    expect(one.digest).not.toBe(other.digest)
  })

  it('tells its last steps only when a rule was broken', async () => {
    expect((await simulate({ seed: 3 })).log).toEqual([])
  })

  it('notices controllers that believe the budget to be larger', async () => {
    const more = pretending((text) =>
      text
        .replaceAll('"maxUnavailable"', '"was"')
        .replaceAll('"nodeSelector"', '"maxUnavailable":3,"nodeSelector"'),
    )
    expect(await firstBroken(30, more)).toMatch(/^never more nodes disrupted than the budget: /)
  })

  it('notices controllers that do not see who is out of service already', async () => {
    const blind = (transport: Transport): Transport => {
      const see = pretending((text) =>
        text.replaceAll('"unschedulable":true', '"unschedulable":false'),
      )(transport)
      const isCache = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
        method === 'GET' && path.endsWith('/nodes')
      return {
        request: (request) => (isCache(request) ? see : transport).request(request),
        stream: (request) => (isCache(request) ? see : transport).stream(request),
        close: () => transport.close(),
      }
    }
    // Where the budget is larger, other rules may be broken first.
    const rule = 'never more nodes disrupted than the budget'
    expect(await firstBroken(100, blind, rule)).toContain(rule)
  })

  it('notices controllers that do not see that a pool is paused', async () => {
    const blind = pretending((text) => text.replaceAll('"paused":true', '"paused":false'))
    expect(await firstBroken(60, blind, 'a paused')).toMatch(/^a paused pool tells nobody: /)
  })

  it('notices a drain that is acknowledged before the pods have left', async () => {
    const early = changing((request) => {
      const drain = annotationsIn(request)['machinist.dev/drain']
      if (request.method !== 'PATCH' || !drain) return request
      const { request: asked } = JSON.parse(drain) as { request: string }
      const body = request.body as { metadata: { annotations: object } }
      const annotations = {
        ...body.metadata.annotations,
        [nodeAnnotations.lastAppliedDrain]: asked,
      }
      return { ...request, body: { ...body, metadata: { ...body.metadata, annotations } } }
    })
    expect(await firstBroken(30, early)).toMatch(/^no pod is lost to a reboot: /)
  })
})
