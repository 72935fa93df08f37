import { describe, expect, it } from 'vitest'
import { ScriptedServer, context, staticCache } from '@machinist/testing/servers/scripted-server'
import { Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { Secret } from '@machinist/kube/kinds/core'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { newTokenSecret } from '../../fleet/provisioning/token-rotation.ts'
import { sampleToken } from '../../fleet/provisioning/token.fixture.ts'
import { TaskReports } from '../cluster-operator/tasks.ts'
import { provisioningTokensController } from './provisioning-tokens.ts'

const place = '/api/v1/namespaces/machinist-provisioning/secrets'
const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools'
const day = 86_400_000
const pool: MachineConfigPool = { metadata: { name: 'worker', uid: 'u-1' }, spec: {} }

class Bench {
  readonly clock = new VirtualClock()
  readonly reports = new TaskReports()
  readonly emitted: string[] = []
  readonly controller: Controller
  logged = ''
  readonly #log: Logger

  constructor(
    server: ScriptedServer,
    { pools = [pool], secrets = [] }: { pools?: MachineConfigPool[]; secrets?: Secret[] } = {},
  ) {
    const { clock, reports } = this
    const log = (this.#log = createLogger({ clock, write: (line) => void (this.logged += line) }))
    const emit = (_: object, reason: string, message: string): void => {
      this.emitted.push(`${reason}: ${message}`)
    }
    const events = { normal: emit, warning: emit }
    const { client } = server
    const tools = { client, clock, random: seededRandom(1), log, metrics: new Metrics(), events }
    const caches = { pools: staticCache(...pools), provisioning: staticCache(...secrets) }
    const chance = { bytes: (length: number) => new Uint8Array(length).fill(7) }
    this.controller = provisioningTokensController(tools, caches, { reports, chance })
  }

  reconcile(key = 'worker') {
    return this.controller.reconcile(key, { ...context, log: this.#log })
  }
}

const fresh = (at: number): Secret => {
  const made = newTokenSecret('provisioning-token-worker', pool, sampleToken('a'), at)
  return { ...made, metadata: { ...made.metadata, uid: 's-1', resourceVersion: '7' } }
}
const start = new VirtualClock().now()

describe('the controller of provisioning tokens', () => {
  it('creates a token of 32 random bytes', async () => {
    const server = new ScriptedServer({})
    const bench = new Bench(server)
    expect(await bench.reconcile()).toEqual({ type: 'settled' })
    expect(server.requests).toEqual([`POST ${place}`])
    const { data } = server.bodies[0] as Secret
    const text = Buffer.from(data!['token']!, 'base64').toString()
    expect(text).toBe('BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc')
    expect(bench.logged).not.toContain(text)
  })

  it('reconciles again exactly when the token is due', async () => {
    const bench = new Bench(new ScriptedServer(), { secrets: [fresh(start - 10 * day)] })
    expect(await bench.reconcile()).toEqual({ type: 'requeue', afterMs: 20 * day })
  })

  it('rotates with one guarded patch, and emits an event', async () => {
    const server = new ScriptedServer({})
    const bench = new Bench(server, { secrets: [fresh(start - 30 * day)] })
    expect(await bench.reconcile()).toEqual({ type: 'settled' })
    expect(server.requests).toEqual([`PATCH ${place}/provisioning-token-worker`])
    expect(server.bodies[0]).toEqual({
      metadata: {
        resourceVersion: '7',
        annotations: {
          'machinist.dev/token-issued-at': '2026-01-01T00:00:00Z',
          'machinist.dev/previous-valid-until': '2026-01-08T00:00:00Z',
        },
      },
      data: {
        token: Buffer.from('BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc').toString('base64'),
        previous: Buffer.from(sampleToken('a')).toString('base64'),
      },
    })
    expect(bench.emitted).toEqual([
      'ProvisioningTokenRotated: rotated the provisioning token; the previous one is valid until 2026-01-08T00:00:00Z',
    ])
    expect(bench.logged + bench.emitted.join()).not.toMatch(/BwcHBw|aaaaa/)
  })

  it('waits after a conflict, without a further rotation', async () => {
    const server = new ScriptedServer([409, 'Conflict'])
    const bench = new Bench(server, { secrets: [fresh(start - 30 * day)] })
    await expect(bench.reconcile()).rejects.toBeInstanceOf(Waiting)
    expect(bench.emitted).toEqual([])
  })

  it('removes the token of a deleted pool after the API server confirms the deletion', async () => {
    const list = {
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: '9' },
      items: [],
    }
    const server = new ScriptedServer(list, {})
    const bench = new Bench(server, { pools: [], secrets: [fresh(start)] })
    expect(await bench.reconcile()).toEqual({ type: 'settled' })
    expect(server.requests).toEqual([`GET ${pools}`, `DELETE ${place}/provisioning-token-worker`])
    expect(server.bodies[1]).toMatchObject({ preconditions: { uid: 's-1' } })
    const there = new ScriptedServer({ ...list, items: [{ metadata: { name: 'worker' } }] })
    await new Bench(there, { pools: [], secrets: [fresh(start)] }).reconcile()
    expect(there.requests).toEqual([`GET ${pools}`])
  })

  it.each([
    [
      [404, 'NotFound'] as const,
      'namespace machinist-provisioning does not exist: apply the manifests of this version',
    ],
    [
      [403, 'Forbidden'] as const,
      'the API server refused Secret machinist-provisioning/provisioning-token-worker (403 Forbidden)',
    ],
  ])('reports %j once, and retries', async (refusal, message) => {
    const bench = new Bench(new ScriptedServer(refusal, refusal, {}))
    const later = { type: 'requeue', afterMs: 60_000 }
    expect(await bench.reconcile()).toEqual(later)
    expect(await bench.reconcile()).toEqual(later)
    expect(bench.reports.list()).toEqual([{ task: 'ProvisioningTokens', message }])
    expect(bench.emitted).toEqual([`ActionProhibited: ${message}`])
    expect(await bench.reconcile()).toEqual({ type: 'settled' })
    expect(bench.reports.list()).toEqual([])
  })

  it('ignores concurrent creations and deletions', async () => {
    const created = new Bench(new ScriptedServer([409, 'AlreadyExists']))
    expect(await created.reconcile()).toEqual({ type: 'settled' })
    const deleted = new Bench(new ScriptedServer([404, 'NotFound']), {
      secrets: [fresh(start - 30 * day)],
    })
    expect(await deleted.reconcile()).toEqual({ type: 'settled' })
  })

  it('fails without the message of the server, which may quote the token', async () => {
    const bench = new Bench(new ScriptedServer([500, 'InternalError']))
    await expect(bench.reconcile()).rejects.toThrow('(500 InternalError)')
    await expect(new Bench(new ScriptedServer([500, 'x'])).reconcile()).rejects.not.toThrow(
      'quotes',
    )
  })

  it('reports a bad setting once', async () => {
    const annotations = { 'machinist.dev/provisioning-token-refresh': '30d' }
    const odd = { ...pool, metadata: { ...pool.metadata, annotations } }
    const bench = new Bench(new ScriptedServer(), { pools: [odd], secrets: [fresh(start)] })
    await bench.reconcile()
    await bench.reconcile()
    expect(bench.emitted).toEqual([
      'BadProvisioningTokenSettings: annotation machinist.dev/provisioning-token-refresh must be a duration of at least 1h, such as 720h: the default of 720h is in effect',
    ])
  })
})
