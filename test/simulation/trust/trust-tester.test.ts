import { describe, expect, it } from 'vitest'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { Cluster } from '../cluster.ts'
import { Process } from '../process.ts'
import { HoldingsCheck } from './checks/holdings.ts'
import { config } from './installation.ts'
import { Reader } from './seen-certificates.ts'
import { TrustNode } from './trust-node.ts'
import type { TrustWorldOptions } from './trust-world.ts'
import { simulateTrust } from './trust-world.ts'

type Who = Parameters<NonNullable<TrustWorldOptions['tamper']>>[0]

/** What is broken first, in the first of these worlds where that is this rule; undefined if nowhere. */
async function firstBroken(
  seeds: number,
  who: Who,
  tamper: (transport: Transport) => Transport,
  rule: string,
): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = await simulateTrust({
      seed,
      tamper: (each, transport) => (each === who ? tamper(transport) : transport),
    })
    const found = violations.find((violation) => violation.startsWith(rule))
    if (found !== undefined) return found
  }
  return undefined
}

/** The same transport with other bodies in writes to a path. */
const writing =
  (path: RegExp, change: (body: Record<string, unknown>) => unknown) =>
  (transport: Transport): Transport => ({
    ...unchanged(transport),
    request: (request) =>
      transport.request(
        request.method !== 'GET' && path.test(request.path) && request.body !== undefined
          ? { ...request, body: change(structuredClone(request.body) as Record<string, unknown>) }
          : request,
      ),
  })

const unchanged = (transport: Transport): Transport => ({
  request: (request: Request) => transport.request(request),
  stream: (request: StreamRequest) => transport.stream(request),
  close: () => transport.close(),
})

/** The same transport, in which there are no nodes. */
const withoutNodes = (transport: Transport): Transport => ({
  ...unchanged(transport),
  async request(request): Promise<Answer> {
    const answer = await transport.request(request)
    if (!request.path.endsWith('/nodes')) return answer
    const list = JSON.parse(Buffer.from(answer.body).toString()) as object
    return { ...answer, body: Buffer.from(JSON.stringify({ ...list, items: [] })) }
  },
  async *stream(request) {
    for await (const chunk of transport.stream(request)) {
      const isHidden =
        request.path.endsWith('/nodes') && !Buffer.from(chunk).toString().includes('BOOKMARK')
      if (!isHidden) yield chunk
    }
  },
})

/** The same transport with another text wherever this one comes from the API. */
const hearing =
  (from: string, to: string) =>
  (transport: Transport): Transport => {
    const changed = (bytes: Uint8Array): Uint8Array =>
      Buffer.from(Buffer.from(bytes).toString().replaceAll(from, to))
    return {
      ...unchanged(transport),
      async request(request): Promise<Answer> {
        const answer = await transport.request(request)
        return request.method === 'GET' ? { ...answer, body: changed(answer.body) } : answer
      },
      async *stream(request) {
        for await (const chunk of transport.stream(request)) yield changed(chunk)
      },
    }
  }

interface Told {
  status?: {
    items?: { name: string; certificates?: { fingerprint: string }[] }[]
    nodes?: { laggards?: unknown[] }
    conditions?: { type: string; status: string }[]
  }
}

describe('a simulated world of trust', { timeout: 300_000 }, () => {
  it('is the same every time', async () => {
    for (const seed of [6, 20]) {
      const { digest } = await simulateTrust({ seed })
      expect((await simulateTrust({ seed })).digest).toBe(digest)
    }
  })

  it('tells its last steps only when a rule was broken', async () => {
    expect((await simulateTrust({ seed: 3 })).log).toEqual([])
  })

  it('notices a signer that does not wait for nodes', async () => {
    const rule = 'no node lacks a CA that a certificate in use needs'
    expect(await firstBroken(20, 'signer', withoutNodes, rule)).toContain('does not hold yet')
  })

  it('notices a daemon that reports before it writes', async () => {
    const early = writing(/nodetrusts/, (body) => {
      const told = body as Told
      for (const { certificates } of told.status?.items ?? []) {
        certificates?.push({ ...certificates[0], fingerprint: 'f'.repeat(64) })
      }
      return told
    })
    const rule = 'what a node says that it holds is on its disk'
    expect(await firstBroken(5, 'daemon', early, rule)).toContain(rule)
  })

  it('notices an operator that hands on the newest CA only', async () => {
    const newest = writing(/controllerconfigs/, (body) => {
      const spec = body['spec'] as { kubeAPIServerServingCAData?: string } | undefined
      const bundle = Buffer.from(spec?.kubeAPIServerServingCAData ?? '', 'base64').toString()
      const last = bundle.trim().split('-----BEGIN').at(-1)
      if (!spec || !last) return body
      const only = Buffer.from(`-----BEGIN${last}\n`).toString('base64')
      return { ...body, spec: { ...spec, kubeAPIServerServingCAData: only } }
    })
    const rule = 'no node lacks a CA that a certificate in use needs'
    expect(await firstBroken(20, 'operator', newest, rule)).toContain('no longer holds')
  })

  it('notices a signer that takes a CA away while a client may present a certificate of it', async () => {
    const hasty = hearing('"leafSettle":"420s"', '"leafSettle":"120s"')
    const rule = 'no node lacks a CA that a certificate in use needs'
    expect(await firstBroken(20, 'signer', hasty, rule)).toContain('no longer holds')
  })

  it('notices a bundle that nobody can read', async () => {
    const cluster = new Cluster(1)
    const check = new HoldingsCheck({
      cluster,
      reader: new Reader(),
      nodes: new Map(),
      rotations: [],
    })
    const held = check.held.bind(check)
    const node = new TrustNode('worker-1', {}, cluster, {
      held,
      restarts: () => {},
      started: () => {},
    })
    await node.join(config, { 'kubelet-client-ca': 'as installed' })
    node.simulated.end()
    const somebody = new Process('somebody', cluster.clock)
    const { files } = node.simulated.machine.hostFor(somebody, () => {})
    const content = Buffer.from('-----BEGIN CERTIFICATE-----\nMII')
    const writing = files.write(nodePaths.kubeletCA, { content, mode: 0o644, uid: 0, gid: 0 })
    await cluster.clock.advance(1000)
    await writing
    expect(cluster.violations.join()).toMatch(/^no node ever holds a bundle that is empty or/)
  })

  it('notices a private key that leaves its Secret', async () => {
    const telling = writing(/configmaps/, (body) => {
      const data = body['data'] as Record<string, string> | undefined
      return { ...body, data: { ...data, note: '-----BEGIN PRIVATE KEY-----' } }
    })
    const rule = 'private keys are in their Secrets only'
    expect(await firstBroken(1, 'signer', telling, rule)).toContain('/configmaps')
  })

  it('notices a rotation that claims to be trusted', async () => {
    const boasting = writing(/trustrotations/, (body) => {
      for (const condition of (body as Told).status?.conditions ?? []) {
        if (condition.type === 'Trusted') condition.status = 'True'
      }
      return body
    })
    const rule = 'a rotation never claims more than is on the nodes'
    expect(await firstBroken(60, 'signer', boasting, rule)).toContain('all nodes trust it')
  })

  it('notices a rotation that does not say for whom it waits', async () => {
    const silent = writing(/trustrotations/, (body) => {
      const { nodes } = (body as Told).status ?? {}
      if (nodes) nodes.laggards = []
      return body
    })
    const rule = 'a rotation held up says by whom'
    expect(await firstBroken(60, 'signer', silent, rule)).toContain('names "" and not ')
  })

  it('notices kubelets of the control plane that do not wait for their turn', async () => {
    // Everything that they read of themselves is a grant.
    const alone = (transport: Transport): Transport => ({
      ...unchanged(transport),
      async request(request): Promise<Answer> {
        const answer = await transport.request(request)
        if (request.method !== 'GET' || !request.path.includes('/nodetrusts/')) return answer
        const trust = JSON.parse(Buffer.from(answer.body).toString()) as object
        const spec = { kubeletRestart: { grantedAt: '2026-01-01T00:00:00Z' } }
        return { ...answer, body: Buffer.from(JSON.stringify({ ...trust, spec })) }
      },
    })
    const rule = 'one kubelet of the control plane is restarted at a time'
    expect(await firstBroken(100, 'daemon', alone, rule)).toContain('is not back')
  })
})
