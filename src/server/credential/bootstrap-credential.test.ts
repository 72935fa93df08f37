import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ApiFailure } from '@machinist/kube/failure'
import type { CredentialOptions } from './bootstrap-credential.ts'
import { BootstrapCredential } from './bootstrap-credential.ts'

const minute = 60_000
const account = { namespace: 'ns', name: 'node-bootstrapper' }

/** An API server that issues numbered tokens. */
class Issuer {
  readonly clock = new VirtualClock()
  readonly metrics = new Metrics()
  logged = ''
  requests = 0
  isAway: boolean
  granted: number | undefined
  readonly credential: BootstrapCredential
  readonly stop = new AbortController()
  readonly ended: Promise<void>

  constructor({
    isAway = false,
    granted = 3600,
  }: { isAway?: boolean; granted?: number | null } = {}) {
    this.isAway = isAway
    this.granted = granted ?? undefined
    const { clock, metrics } = this
    const log = createLogger({ clock, write: (line) => void (this.logged += line) })
    const client = { act: () => this.#issue() } as unknown as CredentialOptions['client']
    const random = seededRandom(1)
    this.credential = new BootstrapCredential({ client, clock, random, log, metrics, account })
    this.ended = this.credential.run(this.stop.signal)
  }

  async #issue(): Promise<unknown> {
    if (this.isAway) {
      const request = { method: 'POST', path: '/token' }
      throw new ApiFailure(request, 503, { message: 'quotes CANARY' })
    }
    this.requests++
    const spec = this.granted === undefined ? {} : { expirationSeconds: this.granted }
    return { spec, status: { token: `token-${this.requests}` } }
  }
}

describe('the credential for new machines', () => {
  it('is renewed every 10 minutes', async () => {
    const { credential, clock } = new Issuer()
    expect(credential.usable()).toBeUndefined()
    await clock.advance(0)
    expect(credential.usable()).toBe('token-1')
    await clock.advance(9 * minute)
    expect(credential.usable()).toBe('token-1')
    await clock.advance(minute)
    expect(credential.usable()).toBe('token-2')
  })

  it('reports every renewal', async () => {
    const { credential, clock } = new Issuer()
    let changes = 0
    const end = credential.subscribe(() => changes++)
    await clock.advance(10 * minute)
    expect(changes).toBe(2)
    end()
    await clock.advance(10 * minute)
    expect(changes).toBe(2)
  })

  it('is usable until 20 minutes before it expires', async () => {
    const issuer = new Issuer()
    const { credential, clock } = issuer
    await clock.advance(0)
    issuer.isAway = true
    await clock.advance(40 * minute)
    expect(credential.usable()).toBe('token-1')
    await clock.advance(1)
    expect(credential.usable()).toBeUndefined()
    issuer.isAway = false
    await clock.advance(2 * minute)
    expect(credential.usable()).toBe('token-2')
  })

  it('is retried with back-off, and the server message is not logged', async () => {
    const issuer = new Issuer({ isAway: true })
    await issuer.clock.advance(10 * minute)
    const lines = issuer.logged.trim().split('\n')
    expect(lines.length).toBeGreaterThan(8)
    expect(lines.length).toBeLessThan(20)
    expect(issuer.logged).toContain('cannot get a credential for new machines')
    expect(issuer.logged).not.toContain('CANARY')
  })

  it('has the validity that the API server grants', async () => {
    const issuer = new Issuer({ granted: 30 * 60 })
    const { credential, clock } = issuer
    await clock.advance(4 * minute)
    expect(credential.usable()).toBe('token-1')
    issuer.isAway = true
    await clock.advance(7 * minute)
    expect(credential.usable()).toBeUndefined()
  })

  it('is refused if it is valid for too short a time, without a loop of requests', async () => {
    const issuer = new Issuer({ granted: 600 })
    await issuer.clock.advance(minute)
    expect(issuer.credential.usable()).toBeUndefined()
    expect(issuer.requests).toBeLessThan(10)
    expect(issuer.logged).toContain('limits tokens to 600 s; new machines need 1200 s')
  })

  it('counts as valid for the requested time if the API server does not name one', async () => {
    const issuer = new Issuer({ granted: null })
    await issuer.clock.advance(minute)
    expect(issuer.credential.usable()).toBe('token-1')
  })

  it('is renewed after the machine was suspended, and not used before', async () => {
    const { credential, clock } = new Issuer()
    await clock.advance(0)
    clock.jump(50 * minute)
    expect(credential.usable()).toBeUndefined()
    await clock.advance(minute)
    expect(credential.usable()).toBe('token-2')
  })

  it('does not live longer if the wall clock is set back', async () => {
    const issuer = new Issuer()
    const { credential, clock } = issuer
    await clock.advance(0)
    clock.jump(-600 * minute)
    issuer.isAway = true
    await clock.advance(41 * minute)
    expect(credential.usable()).toBeUndefined()
  })

  it('exposes its expiry', async () => {
    const { clock, metrics } = new Issuer()
    await clock.advance(0)
    expect(metrics.text()).toContain(
      'machinist_server_credential_expiry_timestamp_seconds 1767229200\n',
    )
  })

  it('stops', async () => {
    const { stop, ended, clock } = new Issuer()
    await clock.advance(0)
    stop.abort()
    await expect(ended).resolves.toBeUndefined()
  })
})
