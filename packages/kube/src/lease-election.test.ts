import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Passage } from './memory-leases.fixture.ts'
import { MemoryLeases } from './memory-leases.fixture.ts'
import type { KubeClient } from './client.ts'
import { LeaseElection } from './lease-election.ts'
import type { ElectionTiming } from './lease-election-record.ts'
import type { LeaseApi } from './lease-election-term.ts'

const lease = { namespace: 'machinist', name: 'controllers' }
const key = 'machinist/controllers'

/** A machine's clock that goes wrong, and a process that can be killed: its timers never fire again. */
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
  passage: () => Passage = () => ({})
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
      api: server.reachedBy(() => this.passage()),
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

  /** Dies without a word: timers stop, answers to its requests fall on deaf ears. */
  kill(): void {
    this.isDead = true
    this.clock.kill()
    this.passage = () => ({ lost: 'request' })
  }

  /** Whether it believes that it may act, or its work goes on. */
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

function world(): { clock: VirtualClock; server: MemoryLeases } {
  const clock = new VirtualClock()
  return { clock, server: new MemoryLeases(clock) }
}

describe('a single candidate', () => {
  it('creates the lease and leads', async () => {
    const { clock, server } = world()
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

  it('renews every two seconds', async () => {
    const { clock, server } = world()
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

  it('releases the lease when it stops, after the work has ended', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a')
    const ended = a.election.lead(a.stop.signal, async (term) => {
      await aborted(term)
      // Winding down takes longer than a lease lasts, so it must be renewed meanwhile.
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

  it('ends when its work ends by itself', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a')
    await a.election.lead(a.stop.signal, () => Promise.resolve())
    expect(server.stored(key)?.spec?.holderIdentity).toBe('')
  })

  it('releases the lease also when its work fails, and passes the failure on', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a')
    const leading = a.election.lead(a.stop.signal, () => Promise.reject(new Error('broken')))
    await expect(leading).rejects.toThrow('broken')
    expect(server.stored(key)?.spec?.holderIdentity).toBe('')
  })

  it('takes back at once what it held before it was started again', async () => {
    const { clock, server } = world()
    const first = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    first.kill()
    const second = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    expect(second.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec?.leaseTransitions).toBe(0)
  })

  it('keeps trying while the server fails, and keeps to one try at a time', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a')
    let requests = 0
    a.passage = () => {
      requests += 1
      return requests < 10 ? { refusedWith: 503 } : {}
    }
    a.run(clock)
    await clock.advance(17_999)
    expect(requests).toBe(9)
    expect(a.election.isLeader).toBe(false)
    await clock.advance(1)
    expect(a.election.isLeader).toBe(true)
  })

  it('stops while it waits', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a')
    a.passage = () => ({ lost: 'request' })
    a.run(clock)
    await clock.advance(1000)
    a.stop.abort()
    await a.ended
    expect(a.terms).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('gives up the release after five seconds when the server does not answer', async () => {
    const { clock, server } = world()
    const timing = { leaseMs: 137_000, renewMs: 107_000, retryMs: 26_000 }
    const a = new Candidate(clock, server, 'a', { timing }).run(clock)
    await clock.advance(1000)
    a.passage = () => ({ lost: 'request' })
    a.stop.abort()
    await clock.advance(5000)
    expect(clock.pending).toBe(0)
    await a.ended
  })

  it('needs an identity', () => {
    const { clock, server } = world()
    expect(() => new Candidate(clock, server, '')).toThrow('a candidate needs an identity')
  })

  it('can be given the client', () => {
    const given = (client: KubeClient): LeaseApi => client
    expect(given).toBeTypeOf('function')
  })

  it('cannot hold the same lease twice at once, nor wait for it twice', async () => {
    const { clock, server } = world()
    new Candidate(clock, server, 'other').run(clock)
    await clock.advance(0)
    const a = new Candidate(clock, server, 'a').run(clock)
    await expect(a.election.hold(a.stop.signal, () => Promise.resolve())).rejects.toThrow(
      'this candidate for machinist/controllers is busy',
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
  it('have one leader, and the other knows who it is', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(3600_000)
    expect(a.election.isLeader).toBe(true)
    expect(b.election.isLeader).toBe(false)
    expect(b.election.holder).toBe('a')
    expect(b.terms).toEqual([])
  })

  it('race for a new lease, and one wins', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(0)
    expect([a.election.isLeader, b.election.isLeader].filter(Boolean)).toHaveLength(1)
  })

  it('hand over within one try when the leader stops', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(9000)
    a.stop.abort()
    await clock.advance(2000)
    expect(b.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec?.leaseTransitions).toBe(1)
  })

  it('hand over after a crash, not before the lease has run out', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(9000)
    a.kill()
    // Renewed last at 8 s; seen to change last at 8 s; 15 s later it may be taken, at the next try.
    await clock.advance(13_999)
    expect(b.election.isLeader).toBe(false)
    await clock.advance(3000)
    expect(b.election.isLeader).toBe(true)
    expect(server.stored(key)?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
  })

  it('hand over when the leader is cut off, which stops leading first', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b').run(clock)
    await clock.advance(9000)
    a.passage = () => ({ lost: 'request' })
    await clock.advance(60_000)
    // Its last renewal was sent at 8 s.
    expect(a.terms[0]).toEqual({ from: 0, to: 18_000 })
    expect(a.status).toBe('0')
    expect(b.terms[0]!.from).toBeGreaterThanOrEqual(23_000)
    expect(b.terms[0]!.from).toBeLessThanOrEqual(25_000)
    a.passage = () => ({})
    await clock.advance(60_000)
    expect(a.election.isLeader).toBe(false)
    expect(a.election.holder).toBe('b')
  })

  it('do not hand over because an answer was lost', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    const b = new Candidate(clock, server, 'b').run(clock)
    a.passage = () => ({ lost: 'answer' })
    await clock.advance(5000)
    a.passage = () => ({})
    await clock.advance(60_000)
    expect(a.terms).toEqual([{ from: 0 }])
    expect(b.terms).toEqual([])
  })

  it('do not hand over because somebody touched the lease', async () => {
    const { clock, server } = world()
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

  it('obey a lease that was given to another', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    const stored = server.stored(key)!
    server.put({ ...stored, spec: { ...stored.spec, holderIdentity: 'somebody' } })
    await clock.advance(2000)
    expect(a.terms).toEqual([{ from: 0, to: 4000 }])
    expect(server.stored(key)?.spec?.holderIdentity).toBe('somebody')
  })

  it('stop leading when the lease was deleted', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a').run(clock)
    await clock.advance(3000)
    server.remove(key)
    await clock.advance(1000)
    expect(a.terms[0]).toEqual({ from: 0, to: 4000 })
    await clock.advance(3000)
    expect(a.election.isLeader).toBe(true)
  })

  it('do not care what their clocks show', async () => {
    const { clock, server } = world()
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

  it('count an answer from when it was asked for, not from when it came', async () => {
    const { clock, server } = world()
    const a = new Candidate(clock, server, 'a')
    a.run(clock)
    await clock.advance(1000)
    a.passage = () => ({ thereMs: 1000, backMs: 3500 })
    await clock.advance(6000)
    // Sent at 2 s, arrived at 3 s, answered at 6.5 s.
    a.passage = () => ({ lost: 'request' })
    await clock.advance(60_000)
    expect(a.terms).toEqual([{ from: 0, to: 12_000 }])
  })
})

describe('as mutual exclusion', () => {
  it('lets one after the other work', async () => {
    const { clock, server } = world()
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

  it('answers nothing when it was stopped before its turn', async () => {
    const { clock, server } = world()
    new Candidate(clock, server, 'a').run(clock)
    await clock.advance(0)
    const b = new Candidate(clock, server, 'b')
    const held = b.election.hold(b.stop.signal, () => Promise.resolve('worked'))
    await clock.advance(5000)
    b.stop.abort()
    expect(await held).toBeUndefined()
  })
})

/** Crashes, partitions, slow and lost messages, clocks that jump and run up to 10 % too fast or slow. */
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

  /** It counts until it has stopped leading; a successor joins at once. */
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
    let trouble = this.#passage()
    let until = 0
    candidate.passage = () => {
      if (this.#isCalm) return {}
      if (candidate.isDead) return { lost: 'request' }
      // Trouble comes in stretches: a partition is many lost messages in a row.
      if (this.clock.elapsed() >= until) {
        trouble = this.#passage()
        until = this.clock.elapsed() + between(this.#random, 0, 30_000)
      }
      return trouble
    }
    this.candidates.push(candidate)
    candidate.run(this.clock, () => this.#check())
  }

  #passage(): Passage {
    const dice = this.#random.next()
    if (dice < 0.4) return {}
    if (dice < 0.6) {
      return { thereMs: between(this.#random, 0, 4000), backMs: between(this.#random, 0, 4000) }
    }
    if (dice < 0.7) return { lost: 'request' }
    if (dice < 0.8) return { lost: 'answer' }
    if (dice < 0.9) return { thereMs: between(this.#random, 0, 20_000), lost: 'answer' }
    return { refusedWith: 503 }
  }

  #check(): void {
    const { leaders } = this
    if (leaders.length > 1) {
      this.overlaps.push(`${leaders.length} leaders at ${this.clock.elapsed()}`)
    }
  }
}

describe('whatever happens', () => {
  it('there are never two leaders at once, and in the end there is one', async () => {
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
