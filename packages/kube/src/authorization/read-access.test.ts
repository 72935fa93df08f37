import { describe, expect, it } from 'vitest'
import { sleep } from '@machinist/core/clock'
import { createLogger, silentLogger } from '@machinist/core/log'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { WriteOptions } from '../client/client.ts'
import { ApiFailure } from '../failure.ts'
import type { TokenReview } from '../kinds/authentication.ts'
import type { SubjectAccessReview } from '../kinds/authorization.ts'
import { ReadAccess } from './read-access.ts'

/** Knows `prometheus`, which has the permission, and `visitor`, which has not; counts the reviews. */
class Cluster {
  readonly reviews: string[] = []
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
      this.reviews.push(`TokenReview ${token}`)
      const [, username] = /^token-of-(\w+)$/.exec(token) ?? []
      const status = username ? { authenticated: true, user: { username } } : {}
      return { ...object, status }
    }
    const { user, nonResourceAttributes: attributes } = (object as unknown as SubjectAccessReview)
      .spec
    this.reviews.push(`SubjectAccessReview ${user} ${attributes?.verb} ${attributes?.path}`)
    return { ...object, status: { allowed: this.readers.has(user!) } }
  }
}

const here = '192.0.2.9'

function trial(): { cluster: Cluster; clock: VirtualClock; access: ReadAccess } {
  const clock = new VirtualClock()
  const cluster = new Cluster(clock)
  return { cluster, clock, access: new ReadAccess({ api: cluster, clock, log: silentLogger }) }
}

describe('read access', () => {
  it('follows the permissions in the cluster', async () => {
    const { cluster, access } = trial()
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
    expect(await access.mayGet('/metrics', 'nonsense', here)).toBe('unknown')
    expect(cluster.reviews).toEqual([
      'TokenReview token-of-prometheus',
      'SubjectAccessReview prometheus get /metrics',
      'TokenReview token-of-visitor',
      'SubjectAccessReview visitor get /metrics',
      'TokenReview nonsense',
    ])
  })

  it('requests one review a minute, even for concurrent requests', async () => {
    const { cluster, clock, access } = trial()
    const ask = (): Promise<string> => access.mayGet('/metrics', 'token-of-prometheus', here)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['allowed', 'allowed', 'allowed'])
    await clock.advance(59_000)
    await ask()
    expect(cluster.reviews).toHaveLength(2)
    cluster.readers.clear()
    await clock.advance(1000)
    expect(await ask()).toBe('forbidden')
    expect(cluster.reviews).toHaveLength(4)
  })

  it('is granted soon after the permission is granted', async () => {
    const { cluster, clock, access } = trial()
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
    cluster.readers.add('visitor')
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
    await clock.advance(10_000)
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('allowed')
  })

  it('continues for allowed tokens only while the API server is unavailable', async () => {
    const { cluster, clock, access } = trial()
    await access.mayGet('/metrics', 'token-of-prometheus', here)
    cluster.isAway = true
    await clock.advance(14 * 60_000)
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('unclear')
    cluster.isAway = false
    expect(await access.mayGet('/metrics', 'token-of-visitor', here)).toBe('forbidden')
  })

  it('ends when the API server is unavailable for too long', async () => {
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

  it('is decided within the ten seconds of a scrape, even without a response', async () => {
    const { cluster, clock, access } = trial()
    const ask = (): Promise<string> => access.mayGet('/metrics', 'token-of-prometheus', here)
    await ask()
    await clock.advance(60_000)
    cluster.isSilent = true
    const verdict = ask()
    await clock.advance(9000)
    expect(await verdict).toBe('allowed')
  })

  it('limits reviews of unknown tokens, but not of allowed ones', async () => {
    const { cluster, clock, access } = trial()
    await access.mayGet('/metrics', 'token-of-prometheus', here)
    await clock.advance(60_000)
    const verdicts: string[] = []
    for (let at = 0; at < 200; at++)
      verdicts.push(await access.mayGet('/metrics', `guess-${at}`, `192.0.2.${at % 4}`))
    expect(verdicts.filter((verdict) => verdict === 'unknown')).toHaveLength(30)
    expect(verdicts.filter((verdict) => verdict === 'busy')).toHaveLength(170)
    expect(await access.mayGet('/metrics', 'token-of-prometheus', here)).toBe('allowed')
    expect(cluster.reviews).toHaveLength(2 + 30 + 2)
    await clock.advance(60_000)
    expect(await access.mayGet('/metrics', 'guess', here)).toBe('unknown')
  })

  it('is not denied to a new token because another address tries out tokens', async () => {
    const { access } = trial()
    for (let at = 0; at < 200; at++) await access.mayGet('/metrics', `guess-${at}`, '192.0.2.1')
    expect(await access.mayGet('/metrics', 'token-of-visitor', '192.0.2.1')).toBe('busy')
    expect(await access.mayGet('/metrics', 'token-of-prometheus', '192.0.2.2')).toBe('allowed')
  })

  it('keeps allowed tokens in the cache longer than denied ones', async () => {
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

  it('does not log a token that the server quotes in an error', async () => {
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
    expect(lines.join()).toContain('cannot check read access')
    expect(lines.join()).not.toContain('hunter2')
  })
})
