import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Authority, BundleFacts, SignerFacts, TargetFacts } from '../facts/facts.ts'
import type { ModelState, NodeState } from './decide-model.fixture.ts'
import { Model } from './decide-model.fixture.ts'
import {
  authority,
  bundle,
  day,
  metadataFor,
  hour,
  leafOf,
  minute,
  start,
  target,
} from './decide-facts.fixture.ts'

/** CAs that may be anywhere at the start. */
const universe: readonly Authority[] = [
  authority('1', start - 400 * day),
  authority('2', start - 300 * day),
  authority('3', start - 10 * day),
  authority('4', start - hour),
  authority('5', start + 90 * day),
  authority('signer', start - 20 * day),
  authority('foreign', start - 5 * day),
  authority('foreign and over', start - 500 * day),
]

const anyAuthority = fc.constantFrom(...universe)
const anyProblem = fc.constant({ problem: 'garbage' })

const anySigner: fc.Arbitrary<SignerFacts | undefined> = fc.option(
  fc
    .record({
      current: fc.oneof(anyAuthority, anyProblem),
      previous: fc.option(anyAuthority, { nil: undefined }),
      hasMetadata: fc.boolean(),
      hasGarbage: fc.boolean(),
    })
    .map(signerWith),
  { nil: undefined },
)

function signerWith(given: {
  readonly current: SignerFacts['current']
  readonly previous: Authority | undefined
  readonly hasMetadata: boolean
  readonly hasGarbage: boolean
}): SignerFacts {
  const { current, previous, hasMetadata, hasGarbage } = given
  return {
    metadata:
      hasMetadata && !('problem' in current) ? metadataFor('signer', current) : { hasOwner: false },
    current,
    ...(previous && { previous }),
    keepsPrevious: previous !== undefined || hasGarbage,
  }
}

const anyBundle: fc.Arbitrary<BundleFacts | undefined> = fc.option(
  fc.uniqueArray(anyAuthority).map((all) => bundle(...all)),
  { nil: undefined },
)

const anyTarget: fc.Arbitrary<TargetFacts | undefined> = fc.option(
  fc.oneof(
    fc.constant({ metadata: { hasOwner: false }, leaf: { problem: 'garbage' } }),
    fc
      .record({
        by: fc.option(anyAuthority, { nil: undefined }),
        from: fc.integer({ min: -40, max: 5 }),
      })
      .map(({ by, from }) => target(by, { notBefore: start + from * day })),
  ),
  { nil: undefined },
)

const anyNode: fc.Arbitrary<NodeState> = fc.option(
  fc.uniqueArray(anyAuthority).map((all) => new Map(all.map((each) => [each.fingerprint, start]))),
  { nil: undefined },
)

const anyState: fc.Arbitrary<ModelState> = fc.record({
  now: fc.constant(start),
  signer: anySigner,
  bundle: anyBundle,
  published: anyBundle,
  other: fc.option(fc.constant(bundle(authority('foreign', start - 5 * day))), { nil: undefined }),
  targets: fc.array(anyTarget, { minLength: 2, maxLength: 2 }),
  nodes: fc.array(anyNode, { minLength: 0, maxLength: 3 }),
})

type Event = (model: Model) => void

/** Events that may happen at any time. */
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('signer', 'bundle', 'published', 'target').map(
      (refused): Event =>
        (model) =>
          void model.pass(Infinity, refused),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.nat(3).map(
      (most): Event =>
        (model) =>
          void model.pass(most),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.nat(2).map(
      (i): Event =>
        (model) =>
          i < model.state.nodes.length && model.follow(i),
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(minute, 3 * minute, hour, day, 20 * day, 80 * day, 400 * day, -hour, -90 * day)
      .map(
        (ms): Event =>
          ({ state }) =>
            void (state.now += ms),
      ),
  },
  { weight: 2, arbitrary: fc.constant<Event>(rotate) },
  { weight: 2, arbitrary: fc.constant<Event>(rotateBack) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Event>(
      ({ state }) => void (state.signer = undefined),
      ({ state }) => void (state.bundle = undefined),
      ({ state }) => void (state.published = undefined),
      ({ state }) => void (state.targets[0] = undefined),
      ({ state }) =>
        void (state.targets[1] = { metadata: { hasOwner: true }, leaf: { problem: 'torn' } }),
      ({ state }) => void state.nodes.push(undefined),
      ({ state }) => void state.nodes.pop(),
    ),
  },
)

function rotate({ state }: Model): void {
  if (!state.signer) return
  const { notAfter: _, ...rest } = state.signer.metadata
  state.signer = { ...state.signer, metadata: rest }
}

function rotateBack({ state }: Model): void {
  if (!state.signer || 'problem' in state.signer.current) return
  state.signer = { ...state.signer, rotateBack: state.signer.current.fingerprint }
}

/** Runs passes with nodes that follow, until nothing is left to do; returns the result. */
function settle(model: Model): string {
  for (let round = 0; round < 80; round++) {
    const plan = model.pass()
    for (const i of model.state.nodes.keys()) model.follow(i)
    if (plan.writes.length === 0) {
      if (plan.phase === 'Completed') return 'Completed'
      model.state.now += 3 * minute
    }
  }
  return `stuck: ${JSON.stringify(model.pass())}`
}

it('settles from any state and any sequence of events and crashes, and every node trusts every leaf certificate', () => {
  fc.assert(
    fc.property(anyState, fc.array(anyEvent, { maxLength: 25 }), (state, events) => {
      const model = new Model(state)
      for (const event of events) event(model)
      expect(settle(model)).toBe('Completed')
      expect(model.problems).toEqual([])
      const { signer, bundle: trusted, targets, now } = model.state
      const current = signer!.current as Authority
      expect(targets.map((each) => leafOf(each)?.signedBy)).toEqual([current, current])
      expect(targets.every((each) => leafOf(each)!.notAfter >= now)).toBe(true)
      expect(signer!.keepsPrevious).toBe(false)
      // CAs of other owners stay, and only the current CA of the signer.
      const own = trusted!.authorities.filter(
        ({ commonName, fingerprint }) =>
          fingerprint === current.fingerprint || !commonName.includes('foreign'),
      )
      expect(own).toEqual([current])
    }),
    { numRuns: 500 },
  )
})

it('stays settled until the time that the plan names', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const model = new Model(state)
      expect(settle(model)).toBe('Completed')
      // Until every node has loaded the CAs.
      model.state.now += 3 * minute
      expect(settle(model)).toBe('Completed')
      const plan = model.pass()
      expect(plan.writes).toEqual([])
      // There is no write before that time, and one at that time.
      model.state.now = plan.at! - 1
      expect(model.pass().writes).toEqual([])
      model.state.now = plan.at!
      expect(model.pass().writes).not.toEqual([])
    }),
    { numRuns: 150 },
  )
})
