import { describe, expect, it } from 'vitest'
import { sleep } from '@machinist/core/clock'
import { createLogger, silentLogger } from '@machinist/core/log'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { WriteOptions } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { TokenReview } from './kinds/authentication.ts'
import type { SubjectAccessReview } from './kinds/authorization.ts'
import { ReadAccess } from './read-access.ts'

/** Knows Prometheus, who may read, and a visitor, who may not; counts what it is asked. */
class Cluster {
  readonly asked: string[] = []
  isAway = false
  isSilent = false
  readonly readers = new Set(['prometheus'])
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  async create<T extends KubeObject>(
    { kind }: Resource<T>,
    object: T,
    { timeoutMs = 60_000 }: WriteOptions = {},
  ): Promise<T> {
    if (this.isSilent) await sleep(this.#clock, timeoutMs)
    if (this.isAway || this.isSilent) throw new Error('connection refused')
    if (kind === 'TokenReview') {
      const { token } = (object as unknown as TokenReview).spec
      this.asked.push(`whose is ${token}`)
      const [, username] = /^token-of-(\w+)$/.exec(token) ?? []
      const status = username ? { authenticated: true, user: { username } } : {}
      return { ...object, status }
    }
    const { user, nonResourceAttributes: what } = (object as unknown as SubjectAccessReview).spec
    this.asked.push(`may ${user} ${what?.verb} ${what?.path}`)
    return { ...object, status: { allowed: this.readers.has(user!) } }
  }
}

const here = '192.0.2.9'

function trial(): { cluster: Cluster; clock: VirtualClock; access: ReadAccess } {
  const clock = new VirtualClock()
  const cluster = new Cluster(clock)
  return { cluster, clock, access: new ReadAccess({ api: cluster, clock, log: silentLogger }) }
}

describe('reading our pages', () => {
  it('is for those whom the cluster lets', async () => {
    const { cluster, access } = trial()
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
    expect(await access.mayGet('/metrics', 'nonsense', here)).toBe('unknown')
    expect(cluster.asked).toEqual([
      'whose is token-of-prometheus',
      'may prometheus get /metrics',
      'whose is token-of-visitor',
      'may visitor get /metrics',
      'whose is nonsense',
    ])
  })

  it('is asked about once a minute, however many ask at once', async () => {
    const { cluster, clock, access } = trial()
    const ask = (): Promise<string> => access.mayGet('/metrics', 'token-of-prometheus', here)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['allowed', 'allowed', 'allowed'])
    await clock.advance(59_000)
    await ask()
    expect(cluster.asked).toHaveLength(2)
    cluster.readers.clear()
    await clock.advance(1000)
    expect(await ask()).toBe('forbidden')
    expect(cluster.asked).toHaveLength(4)
  })

  it('is soon possible for one who has just been let', async () => {
    const { cluster, clock, access } = trial()
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
    cluster.readers.add('visitor')
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
    await clock.advance(10_000)
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('allowed')
  })

  it('goes on for those who could while the API server is away, and for nobody else', async () => {
    const { cluster, clock, access } = trial()
    await access.mayGet('/metrics', 'token-of-prometheus', here)
    cluster.isAway = true
    await clock.advance(14 * 60_000)
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('unclear')
    cluster.isAway = false
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
  })

  it('ends for everybody when the API server is away for long', async () => {
    const { cluster, clock, access } = trial()
    const ask = (): Promise<string> => access.mayGet('/metrics', 'token-of-prometheus', here)
    expect(await ask()).toBe('allowed')
    cluster.isAway = true
    const verdicts: string[] = []
    for (let minute = 1; minute <= 60; minute++) {
      await clock.advance(60_000)
      verdicts.push(await ask())
    }
    expect(verdicts.indexOf('unclear')).toBe(14)
    expect(new Set(verdicts.slice(14))).toEqual(new Set(['unclear']))
    cluster.isAway = false
    expect(await ask()).toBe('allowed')
  })

  it('is told within the ten seconds that a scrape takes, also where no answer comes', async () => {
    const { cluster, clock, access } = trial()
    const ask = (): Promise<string> => access.mayGet('/metrics', 'token-of-prometheus', here)
    await ask()
    await clock.advance(60_000)
    cluster.isSilent = true
    const verdict = ask()
    await clock.advance(9000)
    expect(await verdict).toBe('allowed')
  })

  it('is not asked about for everybody who tries out tokens, but always for those who could', async () => {
    const { cluster, clock, access } = trial()
    await access.mayGet('/metrics', 'token-of-prometheus', here)
    await clock.advance(60_000)
    const verdicts: string[] = []
    for (let at = 0; at < 200; at++)
      verdicts.push(await access.mayGet('/metrics', `guess-${at}`, `192.0.2.${at % 4}`))
    expect(verdicts.filter((verdict) => verdict === 'unknown')).toHaveLength(30)
    expect(verdicts.filter((verdict) => verdict === 'busy')).toHaveLength(170)
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
    expect(cluster.asked).toHaveLength(2 + 30 + 2)
    await clock.advance(60_000)
    expect(await access.mayGet('/metrics', 'guess', here)).toBe('unknown')
  })

  it('is not lost for a new token because somebody elsewhere tries out others', async () => {
    const { access } = trial()
    for (let at = 0; at < 200; at++) await access.mayGet('/metrics', `guess-${at}`, '192.0.2.1')
    expect(await access.mayGet('/metrics', 'token-of-visitor', '192.0.2.1')).toBe('busy')
    expect(await access.mayGet('/metrics', 'token-of-prometheus', '192.0.2.2')).toBe('allowed')
  })

  it('remembers those who could before those who tried', async () => {
    const { cluster, clock, access } = trial()
    await access.mayGet('/metrics', 'token-of-prometheus', here)
    for (let minute = 0; minute < 5; minute++) {
      for (let at = 0; at < 30; at++)
        await access.mayGet('/metrics', `guess-${minute}-${at}`, `192.0.2.${at % 3}`)
      await clock.advance(60_000)
    }
    cluster.isAway = true
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
  })

  it('tells nobody a token that the server quotes when it refuses to say', async () => {
    const lines: string[] = []
    const clock = new VirtualClock()
    const log = createLogger({ clock, write: (line) => lines.push(line) })
    const api = {
      create: () => {
        const message = 'admission webhook: token hunter2 is odd'
        return Promise.reject(new ApiFailure({ method: 'POST', path: '/x' }, 500, { message }))
      },
    }
    const access = new ReadAccess({ api, clock, log })
    expect(await access.mayGet('/metrics', 'hunter2', here)).toBe('unclear')
    expect(lines.join()).toContain('cannot ask the cluster')
    expect(lines.join()).not.toContain('hunter2')
  })
})
