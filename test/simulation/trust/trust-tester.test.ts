import { describe, expect, it } from 'vitest'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { Cluster } from '../cluster.ts'
import { Process } from '../process.ts'
import { NodeBundlesCheck } from './checks/node-bundles.ts'
import { config } from './installation.ts'
import { CertificateReader } from './seen-certificates.ts'
import { TrustNode } from './trust-node.ts'
import type { TrustSimulationOptions } from './trust-simulation.ts'
import { simulateTrust } from './trust-simulation.ts'

type Who = Parameters<NonNullable<TrustSimulationOptions['tamper']>>[0]

/** The first violation of this invariant in these simulations; undefined if there is none. */
async function firstViolation(
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

/** A transport that changes the bodies of writes to a path. */
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
  request: (request: ApiRequest) => transport.request(request),
  stream: (request: StreamRequest) => transport.stream(request),
  close: () => transport.close(),
})

/** A transport that hides all nodes. */
const withoutNodes = (transport: Transport): Transport => ({
  ...unchanged(transport),
  async request(request): Promise<ApiResponse> {
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

/** A transport that replaces a text in responses. */
const hearing =
  (from: string, to: string) =>
  (transport: Transport): Transport => {
    const changed = (bytes: Uint8Array): Uint8Array =>
      Buffer.from(Buffer.from(bytes).toString().replaceAll(from, to))
    return {
      ...unchanged(transport),
      async request(request): Promise<ApiResponse> {
        const answer = await transport.request(request)
        return request.method === 'GET' ? { ...answer, body: changed(answer.body) } : answer
      },
      async *stream(request) {
        for await (const chunk of transport.stream(request)) yield changed(chunk)
      },
    }
  }

interface ReportedStatus {
  status?: {
    items?: { name: string; certificates?: { fingerprint: string }[] }[]
    nodes?: { laggards?: unknown[] }
    conditions?: { type: string; status: string }[]
  }
}

describe('a trust simulation', { timeout: 300_000 }, () => {
  it('is deterministic', async () => {
    for (const seed of [6, 20]) {
      const { digest } = await simulateTrust({ seed })
      expect((await simulateTrust({ seed })).digest).toBe(digest)
    }
  })

  it('returns its log only when an invariant was violated', async () => {
    expect((await simulateTrust({ seed: 3 })).log).toEqual([])
  })

  it('detects a signer that does not wait for nodes', async () => {
    const rule = 'no node lacks a CA that a certificate in use needs'
    expect(await firstViolation(20, 'signer', withoutNodes, rule)).toContain('does not hold yet')
  })

  it('detects a daemon that reports before it writes', async () => {
    const early = writing(/nodetrusts/, (body) => {
      const reported = body as ReportedStatus
      for (const { certificates } of reported.status?.items ?? []) {
        certificates?.push({ ...certificates[0], fingerprint: 'f'.repeat(64) })
      }
      return reported
    })
    const rule = 'a reported bundle is on the disk of the node'
    expect(await firstViolation(5, 'daemon', early, rule)).toContain(rule)
  })

  it('detects an operator that delivers the newest CA only', async () => {
    const newest = writing(/controllerconfigs/, (body) => {
      const spec = body['spec'] as { kubeAPIServerServingCAData?: string } | undefined
      const bundle = Buffer.from(spec?.kubeAPIServerServingCAData ?? '', 'base64').toString()
      const last = bundle.trim().split('-----BEGIN').at(-1)
      if (!spec || !last) return body
      const only = Buffer.from(`-----BEGIN${last}\n`).toString('base64')
      return { ...body, spec: { ...spec, kubeAPIServerServingCAData: only } }
    })
    const rule = 'no node lacks a CA that a certificate in use needs'
    expect(await firstViolation(20, 'operator', newest, rule)).toContain('no longer holds')
  })

  it('detects a signer that removes a CA while a client may present a certificate of it', async () => {
    const hasty = hearing('"leafSettle":"420s"', '"leafSettle":"120s"')
    const rule = 'no node lacks a CA that a certificate in use needs'
    expect(await firstViolation(20, 'signer', hasty, rule)).toContain('no longer holds')
  })

  it('detects a bundle that cannot be parsed', async () => {
    const cluster = new Cluster(1)
    const check = new NodeBundlesCheck({
      cluster,
      reader: new CertificateReader(),
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
    expect(cluster.violations.join()).toMatch(/^no node holds an empty or invalid bundle/)
  })

  it('detects a private key that leaves its Secret', async () => {
    const leaking = writing(/configmaps/, (body) => {
      const data = body['data'] as Record<string, string> | undefined
      return { ...body, data: { ...data, note: '-----BEGIN PRIVATE KEY-----' } }
    })
    const rule = 'private keys are in their Secrets only'
    expect(await firstViolation(1, 'signer', leaking, rule)).toContain('/configmaps')
  })

  it('detects a rotation that claims to be trusted', async () => {
    const overclaiming = writing(/trustrotations/, (body) => {
      for (const condition of (body as ReportedStatus).status?.conditions ?? []) {
        if (condition.type === 'Trusted') condition.status = 'True'
      }
      return body
    })
    const rule = 'the status of a rotation never claims more than is on the nodes'
    expect(await firstViolation(60, 'signer', overclaiming, rule)).toContain('all nodes trust it')
  })

  it('detects a rotation that does not name the node that it waits for', async () => {
    const silent = writing(/trustrotations/, (body) => {
      const { nodes } = (body as ReportedStatus).status ?? {}
      if (nodes) nodes.laggards = []
      return body
    })
    const rule = 'a waiting rotation names the nodes'
    expect(await firstViolation(60, 'signer', silent, rule)).toContain('names "" and not ')
  })

  it('detects kubelets of the control plane that do not wait for their turn', async () => {
    // Every NodeTrust that they read contains a grant.
    const alone = (transport: Transport): Transport => ({
      ...unchanged(transport),
      async request(request): Promise<ApiResponse> {
        const answer = await transport.request(request)
        if (request.method !== 'GET' || !request.path.includes('/nodetrusts/')) return answer
        const trust = JSON.parse(Buffer.from(answer.body).toString()) as object
        const spec = { kubeletRestart: { grantedAt: '2026-01-01T00:00:00Z' } }
        return { ...answer, body: Buffer.from(JSON.stringify({ ...trust, spec })) }
      },
    })
    const rule = 'kubelets of the control plane restart one at a time'
    expect(await firstViolation(100, 'daemon', alone, rule)).toContain('is not back')
  })
})
