import fc from 'fast-check'
import type { FollowFacts } from '../../../../src/daemon/follow/facts/facts.ts'
import type { NodeView } from '../../../../src/daemon/node/node-view.ts'
import { attemptOf } from '../../../../src/daemon/follow/facts/situation.ts'
import { plan } from '../../../../src/planner/plan.ts'
import { changedFile, config, facts, node, quietFile } from './facts.ts'

const names = ['a', 'b', 'c'] as const
const known = {
  a: config('a', { '/etc/motd': 'one', [quietFile]: 'one' }),
  b: config('b', { '/etc/motd': 'one', [quietFile]: 'two' }),
  c: config('c', { '/etc/motd': 'two' }, { osImageURL: 'os:2' }),
}
const name = fc.constantFrom(...names)
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })
/** Rare values, so that most cases reach the last checks. */
const rarely = fc.nat(11).map((n) => n === 0)
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const drain = fc
  .tuple(fc.constantFrom('drain', 'uncordon'), name)
  .map(([verb, config]) => `${verb}-${config}`)

const anyNode: fc.Arbitrary<NodeView> = fc
  .record({
    current: maybe(name),
    desired: fc.option(name, { nil: undefined, freq: 6 }),
    currentImage: seldom(fc.constantFrom('i1', 'i2')),
    desiredImage: seldom(fc.constantFrom('i1', 'i2', '')),
    state: maybe(fc.constantFrom('Done', 'Working', 'Degraded', 'Unreconcilable', 'Rebooting')),
    desiredDrain: fc.option(drain, { nil: undefined, freq: 1 }),
    lastAppliedDrain: maybe(drain),
    topology: maybe(fc.constantFrom('SingleReplica', 'HighlyAvailable')),
    unschedulable: fc.boolean(),
    deleting: rarely,
  })
  .map(({ unschedulable, deleting, ...annotated }) => node(annotated, { unschedulable, deleting }))

const someConfig = fc.constantFrom(known.a, known.b, known.c)
const quietDifference = { ...changedFile, at: quietFile }
const osDifference = { kind: 'osImage', at: 'the OS', what: 'is another one' } as const

const anyParts = fc.record({
  node: fc.option(anyNode, { nil: undefined, freq: 12 }),
  config: maybe(someConfig),
  image: seldom(fc.constantFrom('i1', 'i2')),
  bootstrap: rarely,
  served: maybe(someConfig),
  forced: fc.boolean(),
  problems: rarely.map((is) => (is ? ['x cannot be used: it is not JSON'] : [])),
  interrupted: seldom(
    fc.record({
      rollingBack: fc.boolean(),
      drains: fc.boolean(),
      rebooted: maybe(fc.boolean()),
    }),
  ),
  rebooting: rarely,
  settled: fc.boolean(),
  missing: fc.oneof(
    { weight: 4, arbitrary: fc.constant<(typeof names)[number][]>([]) },
    fc.subarray([...names]),
  ),
  checked: maybe(
    fc.record({
      config: name,
      differences: fc.subarray([quietDifference, changedFile, osDifference], { maxLength: 1 }),
      afterUpdate: fc.boolean(),
    }),
  ),
  failed: seldom(fc.record({ same: fc.boolean(), retryInMs: fc.constantFrom(0, 1, 5000) })),
  waitMs: seldom(fc.constant(5000)),
  waitedMs: fc.constantFrom(0, 700_000, 4_000_000),
  drift: fc.constantFrom('report', 'heal', 'block'),
})

type Parts = typeof anyParts extends fc.Arbitrary<infer T> ? T : never

function factsOf(made: Parts): FollowFacts {
  const { config, image, bootstrap, served, forced, problems, interrupted, failed } = made
  const result: FollowFacts = {
    ...facts({
      node: made.node,
      disk: {
        ...(config && { config }),
        ...(image && { image }),
        ...(bootstrap && { bootstrap: { x: 'y' } }),
        ...(bootstrap && served && { served }),
        forced,
        problems,
      },
      rebooting: made.rebooting,
      settled: made.settled,
      configs: Object.fromEntries(
        names.map((each) => [each, made.missing.includes(each) ? 'missing' : known[each]]),
      ),
      rules: { rules: '4.16', ...(made.waitMs !== undefined && { waitMs: made.waitMs }) },
      checked: made.checked,
      waitedMs: made.waitedMs,
      drift: made.drift,
    }),
    ...(interrupted && {
      interrupted: {
        update: {
          plan: plan({
            current: known.a,
            desired: known.c,
            rules: '4.16',
            facts: { ...facts().machine, forced: false, drains: interrupted.drains },
          }),
          current: known.a,
          desired: known.c,
        },
        rollingBack: interrupted.rollingBack,
        ...(interrupted.rebooted !== undefined && {
          reboot: { reason: 'x', happened: interrupted.rebooted },
        }),
      },
    }),
  }
  const attempt = failed?.same ? attemptOf(result) : 'another'
  return failed
    ? { ...result, failure: { attempt, reason: 'no space', retryInMs: failed.retryInMs } }
    : result
}

/** Any combination of facts, including unlikely ones. */
export const anyFacts: fc.Arbitrary<FollowFacts> = anyParts.map(factsOf)
