import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '../client/client.ts'
import type { RequestFate } from './memory-leases.fixture.ts'
import { MemoryLeases } from './memory-leases.fixture.ts'
import { LeaseElection } from './lease-election.ts'
import type { ElectionTiming } from './lease-record.ts'
import type { LeaseApi } from './lease-term.ts'

const lease = { namespace: 'machinist', name: 'controllers' }
const key = 'machinist/controllers'

/** A clock with drift and jumps, and a process that can be killed: its timers never fire again. */
class MachineClock implements Clock {
  readonly #real: VirtualClock
  readonly #rate: number
  #offset: number
  #isDead = false

  constructor(real: VirtualClock, rate = 1, offset = 0) {
    this.#real = real
    this.#rate = rate
    this.#offset = offset
  }

  now(): number {
    return this.#real.now() + this.#offset
  }

  elapsed(): number {
    return this.#real.elapsed() * this.#rate
  }

  after(ms: number, task: () => void): Cancel {
    return this.#real.after(ms / this.#rate, () => {
      if (!this.#isDead) task()
    })
  }

  jump(ms: number): void {
    this.#offset += ms
  }

  kill(): void {
    this.#isDead = true
  }
}

interface CandidateOptions {
  readonly clock?: MachineClock
  readonly random?: Random
  readonly timing?: ElectionTiming
}

class Candidate {
  readonly clock: MachineClock
  readonly metrics = new Metrics()
  readonly election: LeaseElection
  readonly stop = new AbortController()
  readonly terms: { from: number; to?: number }[] = []
  passage: () => RequestFate = () => ({})
  ended: Promise<void> | undefined
  isDead = false

  constructor(
    real: VirtualClock,
    server: MemoryLeases,
    identity: string,
    options: CandidateOptions = {},
  ) {
    this.clock = options.clock ?? new MachineClock(real)
    this.election = new LeaseElection({
      api: server.client(() => this.passage()),
      lease,
      identity,
      clock: this.clock,
      random: options.random ?? { next: () => 0 },
      ...(options.timing && { timing: options.timing }),
      log: silentLogger,
      metrics: this.metrics,
    })
  }

  run(real: VirtualClock, onStart: () => void = () => {}): this {
    this.ended = this.election.lead(this.stop.signal, async (term) => {
      const mine: { from: number; to?: number } = { from: real.elapsed() }
      this.terms.push(mine)
      onStart()
      await aborted(term)
      mine.to = real.elapsed()
    })
    return this
  }

  /** Kills the process: timers stop, and responses are ignored. */
  kill(): void {
    this.isDead = true
    this.clock.kill()
    this.passage = () => ({ lost: 'request' })
  }

  /** Whether the candidate considers itself the leader, or its work still runs. */
  get isActing(): boolean {
    const term = this.terms.at(-1)
    return this.election.isLeader || (term !== undefined && term.to === undefined)
  }

  get status(): string | undefined {
    const line = 'leader_election_master_status{name="controllers"} '
    const found = this.metrics.text().split('\n')
    return found.find((text) => text.startsWith(line))?.slice(line.length)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function createServer(): { clock: VirtualClock; server: MemoryLeases } {
  const clock = new VirtualClock()
  return { clock, server: new MemoryLeases(clock) }
}

describe('a single candidate', () => {
  it('creates the lease and leads', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    expect(a.status).toBe('0')
    a.run(clock)
    await clock.advance(0)
    expect(a.election.isLeader).toBe(true)
    expect(a.election.holder).toBe('a')
    expect(a.status).toBe('1')
    expect(server.stored(key)?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    })
  })

  it('renews the lease every two seconds', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(60_000)
    expect(a.election.isLeader).toBe(true)
    expect(a.terms).toEqual([{ from: 0 }])
    expect(server.stored(key)?.spec).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    })
  })

  it('releases the lease when it stops, after the work has stopped', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    const ended = a.election.lead(a.stop.signal, async (term) => {
      await aborted(term)
      // The shutdown takes longer than the lease duration, so the lease must be renewed meanwhile.
      await sleep(clock, 30_000)
    })
    await clock.advance(5000)
    a.stop.abort()
    await clock.advance(29_000)
    expect(a.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec?.holderIdentity).toBe('a')
    await clock.advance(1000)
    await ended
    expect(a.election.isLeader).toBe(false)
    expect(a.status).toBe('0')
    expect(server.stored(key)?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    expect(clock.pending).toBe(0)
  })

  it('returns when its work completes', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    await a.election.lead(a.stop.signal, () => Promise.resolve())
    expect(server.stored(key)?.spec?.holderIdentity).toBe('')
  })

  it('releases the lease when its work fails, and throws the error', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    const leading = a.election.lead(a.stop.signal, () => Promise.reject(new Error('broken')))
    await expect(leading).rejects.toThrow('broken')
    expect(server.stored(key)?.spec?.holderIdentity).toBe('')
  })

  it('acquires its own lease immediately after a restart', async () => {
    const { clock, server } = createServer()
    const first = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    first.kill()
    const second = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    expect(second.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec?.leaseTransitions).toBe(0)
  })

  it('retries while the server fails, one attempt at a time', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    let requests = 0
    a.passage = () => {
      requests += 1
      return requests < 10 ? { errorCode: 503 } : {}
    }
    a.run(clock)
    await clock.advance(17_999)
    expect(requests).toBe(9)
    expect(a.election.isLeader).toBe(false)
    await clock.advance(1)
    expect(a.election.isLeader).toBe(true)
  })

  it('stops while it waits for the lease', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    a.passage = () => ({ lost: 'request' })
    a.run(clock)
    await clock.advance(1000)
    a.stop.abort()
    await a.ended
    expect(a.terms).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('aborts the release after five seconds without a response', async () => {
    const { clock, server } = createServer()
    const timing = { leaseMs: 137_000, renewMs: 107_000, retryMs: 26_000 }
    const a = new Candidate(clock, server, 'a', { timing }).run(clock)
    await clock.advance(1000)
    a.passage = () => ({ lost: 'request' })
    a.stop.abort()
    await clock.advance(5000)
    expect(clock.pending).toBe(0)
    await a.ended
  })

  it('requires an identity', () => {
    const { clock, server } = createServer()
    expect(() => new Candidate(clock, server, '')).toThrow('identity must not be empty')
  })

  it('accepts KubeClient', () => {
    const given = (client: KubeClient): LeaseApi => client
    expect(given).toBeTypeOf('function')
  })

  it('cannot hold or wait for the same lease twice', async () => {
    const { clock, server } = createServer()
    new Candidate(clock, server, 'other').run(clock)
    await clock.advance(0)
    const a = new Candidate(clock, server, 'a').run(clock)
    await expect(a.election.hold(a.stop.signal, () => Promise.resolve())).rejects.toThrow(
      'this candidate for lease machinist/controllers is already in use',
    )
    a.stop.abort()
    await a.ended
    const again = new AbortController()
    const held = a.election.hold(again.signal, () => Promise.resolve())
    again.abort()
    expect(await held).toBeUndefined()
  })
})

describe('two candidates', () => {
  it('have one leader, which the other knows', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(3600_000)
    expect(a.election.isLeader).toBe(true)
    expect(b.election.isLeader).toBe(false)
    expect(b.election.holder).toBe('a')
    expect(b.terms).toEqual([])
  })

  it('race for a new lease, and one acquires it', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(0)
    expect([a.election.isLeader, b.election.isLeader].filter(Boolean)).toHaveLength(1)
  })

  it('change the leader within one attempt when the leader stops', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(9000)
    a.stop.abort()
    await clock.advance(2000)
    expect(b.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec?.leaseTransitions).toBe(1)
  })

  it('change the leader after a crash, not before the lease expires', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(9000)
    a.kill()
    // The last renewal was observed at 8 s; the lease expires 15 s later and is acquired at the next attempt.
    await clock.advance(13_999)
    expect(b.election.isLeader).toBe(false)
    await clock.advance(3000)
    expect(b.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
  })

  it('change the leader after a network partition, and the old leader stops first', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(9000)
    a.passage = () => ({ lost: 'request' })
    await clock.advance(60_000)
    // The last renewal was sent at 8 s.
    expect(a.terms[0]).toEqual({ from: 0, to: 18_000 })
    expect(a.status).toBe('0')
    expect(b.terms[0]!.from).toBeGreaterThanOrEqual(23_000)
    expect(b.terms[0]!.from).toBeLessThanOrEqual(25_000)
    a.passage = () => ({})
    await clock.advance(60_000)
    expect(a.election.isLeader).toBe(false)
    expect(a.election.holder).toBe('b')
  })

  it('keep the leader when a response is lost', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    const b = new Candidate(clock, server, 'b').run(clock)
    a.passage = () => ({ lost: 'response' })
    await clock.advance(5000)
    a.passage = () => ({})
    await clock.advance(60_000)
    expect(a.terms).toEqual([{ from: 0 }])
    expect(b.terms).toEqual([])
  })

  it('keep the leader when another writer changes the lease', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    for (let i = 0; i < 20; i++) {
      await clock.advance(1500)
      server.put({
        ...server.stored(key)!,
        metadata: { ...server.stored(key)!.metadata, labels: { i: String(i) } },
      })
    }
    expect(a.terms).toEqual([{ from: 0 }])
    expect(a.election.isLeader).toBe(true)
    expect(server.stored(key)?.metadata.labels).toEqual({ i: '19' })
  })

  it('respect a lease that was assigned to another candidate', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    const stored = server.stored(key)!
    server.put({ ...stored, spec: { ...stored.spec, holderIdentity: 'somebody' } })
    await clock.advance(2000)
    expect(a.terms).toEqual([{ from: 0, to: 4000 }])
    expect(server.stored(key)?.spec?.holderIdentity).toBe('somebody')
  })

  it('stop leading when the lease is deleted', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    server.remove(key)
    await clock.advance(1000)
    expect(a.terms[0]).toEqual({ from: 0, to: 4000 })
    await clock.advance(3000)
    expect(a.election.isLeader).toBe(true)
  })

  it('do not depend on the absolute time of their clocks', async () => {
    const { clock, server } = createServer()
    const year = 365 * 86_400_000
    const behind = new Candidate(clock, server, 'a', { clock: new MachineClock(clock, 1, -year) })
    const ahead = new Candidate(clock, server, 'b', { clock: new MachineClock(clock, 1, year) })
    behind.run(clock)
    await clock.advance(0)
    ahead.run(clock)
    await clock.advance(60_000)
    expect(behind.terms).toEqual([{ from: 0 }])
    expect(ahead.terms).toEqual([])
    behind.clock.jump(2 * year)
    ahead.clock.jump(-3 * year)
    await clock.advance(60_000)
    expect(behind.terms).toEqual([{ from: 0 }])
    expect(ahead.terms).toEqual([])
  })

  it('count a renewal from the request, not from the response', async () => {
    const { clock, server } = createServer()
    const a = new Candidate(clock, server, 'a')
    a.run(clock)
    await clock.advance(1000)
    a.passage = () => ({ requestMs: 1000, responseMs: 3500 })
    await clock.advance(6000)
    // Sent at 2 s, processed at 3 s, response at 6.5 s.
    a.passage = () => ({ lost: 'request' })
    await clock.advance(60_000)
    expect(a.terms).toEqual([{ from: 0, to: 12_000 }])
  })
})

describe('mutual exclusion', () => {
  it('runs one candidate at a time', async () => {
    const { clock, server } = createServer()
    const { signal } = new AbortController()
    const order: string[] = []
    const nodes = ['a', 'b', 'c', 'd'].map((name) => new Candidate(clock, server, name))
    const restarts = nodes.map(({ election }, i) =>
      election.hold(signal, async () => {
        order.push(`${i} begins`)
        await sleep(clock, 40_000)
        order.push(`${i} ends`)
        return i
      }),
    )
    await clock.advance(200_000)
    expect(await Promise.all(restarts)).toEqual([0, 1, 2, 3])
    expect(order).toHaveLength(8)
    for (let i = 0; i < 8; i += 2) {
      expect(order[i + 1]).toBe(order[i]!.replace('begins', 'ends'))
    }
  })

  it('returns undefined when it is stopped before it acquires the lease', async () => {
    const { clock, server } = createServer()
    new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b')
    const held = b.election.hold(b.stop.signal, () => Promise.resolve('worked'))
    await clock.advance(5000)
    b.stop.abort()
    expect(await held).toBeUndefined()
  })
})

/** Crashes, partitions, slow and lost messages, and clocks that jump and drift by up to 10 %. */
class Turmoil {
  readonly clock = new VirtualClock()
  readonly server = new MemoryLeases(this.clock)
  readonly candidates: Candidate[] = []
  readonly overlaps: string[] = []
  readonly #random: Random
  #isCalm = false
  #born = 0

  constructor(seed: number) {
    this.#random = seededRandom(seed)
    for (let i = 0; i < between(this.#random, 2, 4); i++) this.#join()
  }

  get leaders(): Candidate[] {
    return this.candidates.filter(({ isActing, isDead }) => isActing && !isDead)
  }

  async run(): Promise<void> {
    for (let i = 0; i < 80; i++) {
      this.#disturb()
      await this.clock.advance(between(this.#random, 0, 9000))
      this.#check()
    }
    this.#isCalm = true
    await this.clock.advance(90_000)
    this.#check()
  }

  #disturb(): void {
    const candidate = this.candidates[between(this.#random, 0, this.candidates.length - 1)]!
    const dice = this.#random.next()
    if (dice < 0.15) {
      candidate.kill()
      this.#leave(candidate)
    } else if (dice < 0.25) {
      candidate.stop.abort()
      this.#leave(candidate)
    } else if (dice < 0.45) candidate.clock.jump(between(this.#random, -86_400_000, 86_400_000))
    else if (dice < 0.5) {
      const stored = this.server.stored(key)
      if (stored)
        this.server.put({ ...stored, metadata: { ...stored.metadata, labels: { x: 'y' } } })
    }
  }

  /** It counts until it has stopped leading; a successor joins immediately. */
  #leave(candidate: Candidate): void {
    this.#join()
    const forget = (): void => {
      const at = this.candidates.indexOf(candidate)
      if (at >= 0) this.candidates.splice(at, 1)
    }
    if (candidate.isDead) forget()
    else void candidate.ended?.then(forget)
  }

  #join(): void {
    const rate = 0.9 + this.#random.next() * 0.2
    const skewed = new MachineClock(this.clock, rate, between(this.#random, -1e9, 1e9))
    const candidate = new Candidate(this.clock, this.server, `c${++this.#born}`, {
      clock: skewed,
      random: this.#random,
    })
    let faults = this.#passage()
    let until = 0
    candidate.passage = () => {
      if (this.#isCalm) return {}
      if (candidate.isDead) return { lost: 'request' }
      // Faults come in series: a partition is a sequence of lost messages.
      if (this.clock.elapsed() >= until) {
        faults = this.#passage()
        until = this.clock.elapsed() + between(this.#random, 0, 30_000)
      }
      return faults
    }
    this.candidates.push(candidate)
    candidate.run(this.clock, () => this.#check())
  }

  #passage(): RequestFate {
    const dice = this.#random.next()
    if (dice < 0.4) return {}
    if (dice < 0.6) {
      return {
        requestMs: between(this.#random, 0, 4000),
        responseMs: between(this.#random, 0, 4000),
      }
    }
    if (dice < 0.7) return { lost: 'request' }
    if (dice < 0.8) return { lost: 'response' }
    if (dice < 0.9) return { requestMs: between(this.#random, 0, 20_000), lost: 'response' }
    return { errorCode: 503 }
  }

  #check(): void {
    const { leaders } = this
    if (leaders.length > 1) {
      this.overlaps.push(`${leaders.length} leaders at ${this.clock.elapsed()}`)
    }
  }
}

describe('with random faults', () => {
  it('there are never two leaders, and finally there is one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const turmoil = new Turmoil(seed)
        await turmoil.run()
        expect(turmoil.overlaps).toEqual([])
        expect(turmoil.leaders).toHaveLength(1)
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
