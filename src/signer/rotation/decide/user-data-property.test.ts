import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { updatedRecord } from '../../../fleet/rotation/user-data-record.ts'
import {
  authority,
  bundle,
  day,
  hour,
  leafOf,
  rotationOf,
  signer,
  spec,
  start,
  target,
} from './decide-facts.fixture.ts'
import { Model } from './decide-model.fixture.ts'

const settleMs = day
const { trustedBy: _, publishedIn: __, ...rest } = spec
const rotation = rotationOf({
  ...rest,
  targets: [{ ...spec.targets![1]!, validity: '8760h', refresh: '7008h' }],
  userData: { namespace: 'keys', name: 'user-data', settle: '24h' },
})

/** User data with these CAs, which machines are created with from then on. */
interface Version {
  readonly from: number
  readonly authorities: ReadonlySet<string>
}

/** A cluster whose pools have user data, and machines that start with it. */
class Machines {
  readonly model: Model
  readonly #versions = new Map<string, Version[]>()

  constructor(pools: number) {
    const ca = authority('1', start - 10 * day)
    const leaf = target(ca, { notBefore: start - 10 * day, life: 365 * day, hostnames: 'two' })
    const state = { signer: signer(ca), bundle: bundle(ca), targets: [leaf], nodes: [] }
    const others = { published: undefined, other: undefined }
    this.model = new Model({ now: start, ...state, ...others }, rotation)
    for (let i = 0; i < pools; i++) this.#versions.set(`pool-${i}`, [])
    for (const pool of this.#versions.keys()) this.follow(pool)
    this.record()
  }

  get pools(): string[] {
    return [...this.#versions.keys()]
  }

  /** The operator writes the bundle to the user data of a pool. */
  follow(pool: string): void {
    const { state } = this.model
    const authorities = new Set(state.bundle!.authorities.map(({ fingerprint }) => fingerprint))
    this.#versions.get(pool)!.push({ from: state.now, authorities })
  }

  /** The operator records the user data that it observes. */
  record(): void {
    const { state } = this.model
    const observed = [...this.#versions].map(
      ([pool, versions]) => [pool, [...versions.at(-1)!.authorities]] as const,
    )
    state.userData = updatedRecord(state.userData ?? new Map(), new Map(observed), state.now)
  }

  /** Pools with a machine that was created within the settle time and does not trust the server. */
  stranded(): string[] {
    const { now, targets } = this.model.state
    const by = leafOf(targets[0])?.signedBy?.fingerprint ?? ''
    return [...this.#versions].flatMap(([pool, versions]) => {
      const inUse = versions.filter((_, i) => (versions[i + 1]?.from ?? now) > now - settleMs)
      return inUse.every(({ authorities }) => authorities.has(by)) ? [] : [pool]
    })
  }
}

type Event = (machines: Machines) => void

const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.nat(3).map(
      (most): Event =>
        ({ model }) =>
          void model.pass(most),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.nat(2).map((i): Event => (machines) => {
      const pool = machines.pools[i]
      if (pool !== undefined) machines.follow(pool)
    }),
  },
  { weight: 4, arbitrary: fc.constant<Event>((machines) => machines.record()) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(hour, 10 * hour, day, 30 * day).map(
      (ms): Event =>
        ({ model: { state } }) =>
          // Before anything expires.
          void (state.now = Math.min(state.now + ms, start + 200 * day)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Event>(({ model: { state } }) => {
      const { notAfter: _, ...metadata } = state.signer!.metadata
      state.signer = { ...state.signer!, metadata }
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Event>(({ model: { state } }) => {
      const { current } = state.signer!
      if (!('problem' in current))
        state.signer = { ...state.signer!, rotateBack: current.fingerprint }
    }),
  },
  { weight: 1, arbitrary: fc.constant<Event>(({ model }) => void delete model.state.userData) },
)

it('every machine trusts the server if it starts within the settle time, and rotations complete', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(anyEvent, { maxLength: 60 }),
      (pools, events) => {
        const machines = new Machines(pools)
        for (const event of events) {
          event(machines)
          expect(machines.stranded()).toEqual([])
        }
        for (let round = 0; round < 20; round++) {
          machines.model.pass()
          for (const pool of machines.pools) machines.follow(pool)
          machines.record()
          expect(machines.stranded()).toEqual([])
          machines.model.state.now += 10 * hour
        }
        expect(machines.model.pass().phase).toBe('Completed')
        expect(machines.model.problems).toEqual([])
        const { signer: secret, bundle: trusted } = machines.model.state
        expect(trusted!.authorities).toEqual([secret!.current])
      },
    ),
    { numRuns: 300 },
  )
})
