import { describe, expect, it } from 'vitest'
import { decide, policyNames } from '../../../../src/daemon/follow/decide.ts'
import type { Facts } from '../../../../src/daemon/follow/facts.ts'
import type { Update } from '../../../../src/daemon/apply/update.ts'
import type { Difference } from '../../../../src/daemon/verify/difference.ts'
import { plan } from '../../../../src/planner/plan.ts'
import type { Annotated } from './facts.ts'
import { changedFile, config, facts, node, quietFile } from './facts.ts'

const due: Annotated = { current: 'a', desired: 'b', state: 'Done' }
const quiet = config('b', { '/etc/motd': 'a', [quietFile]: '{}' })
const loud = config('b')
const inB = { config: config('b'), forced: false, problems: [] }

const decided = (more: Partial<Facts>): readonly [string, string, string | undefined] => {
  const { policy, next, report } = decide(facts(more))
  return [policy, next.do, report?.state]
}

describe('the way of a node, state by state', () => {
  it.each<readonly [string, Partial<Facts>, readonly [string, string, string | undefined]]>([
    ['there is no Node yet', { node: undefined }, ['node exists', 'wait', undefined]],
    [
      'the Node is being deleted',
      { node: node(due, { deleting: true }), configs: { b: loud } },
      ['node stays', 'ignore', undefined],
    ],
    [
      'the machine is going down',
      { rebooting: true, node: node(due), configs: { b: loud } },
      ['not going down', 'ignore', undefined],
    ],
    [
      'the stored config is garbage',
      { disk: { forced: false, problems: ['x cannot be used: it is not JSON'] } },
      ['state is readable', 'degrade', 'Degraded'],
    ],
    [
      'the machine joins',
      {
        node: node({}),
        disk: {
          bootstrap: { 'machineconfiguration.openshift.io/currentConfig': 'a' },
          forced: false,
          problems: [],
        },
      },
      ['annotations are known', 'adopt', undefined],
    ],
    [
      'the Node lost its annotations, the disk has not',
      { node: node({ desired: 'a' }) },
      ['annotations are known', 'adopt', undefined],
    ],
    [
      'nobody wants anything of the node',
      { node: node({}), disk: { forced: false, problems: [] } },
      ['a config is desired', 'wait', undefined],
    ],
    [
      'neither cluster nor disk has the current config',
      { disk: { forced: false, problems: [] }, configs: { a: 'missing' } },
      ['current config is known', 'degrade', 'Degraded'],
    ],
    [
      'somebody removed the stored config, and all is as the Node says',
      { disk: { forced: false, problems: [] }, configs: { a: config('a') } },
      ['config is stored', 'storeConfig', undefined],
    ],
    [
      'a machine without any config is given one',
      {
        node: node({ desired: 'b' }),
        disk: { forced: false, problems: [] },
        configs: { b: quiet },
      },
      ['update is due', 'requestDrain', 'Working'],
    ],
    ['all is well', {}, ['node is in its config', 'done', 'Done']],
    [
      'state absent is Done',
      { node: node({ current: 'a', desired: 'a' }) },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'just started, nobody has looked',
      { settled: false, checked: undefined },
      ['disk is looked at', 'verify', undefined],
    ],
    [
      'looked at another config',
      { checked: { config: 'z', differences: [] } },
      ['disk is looked at', 'verify', undefined],
    ],
    [
      'the desired config was pruned',
      { node: node(due), configs: { b: 'missing' } },
      ['desired config is known', 'degrade', 'Degraded'],
    ],
    [
      'a new config, nothing restarts',
      { node: node(due), configs: { b: quiet } },
      ['update is due', 'update', 'Working'],
    ],
    [
      'a new config that needs a drain',
      { node: node(due), configs: { b: loud } },
      ['update is due', 'requestDrain', 'Working'],
    ],
    [
      'a cluster of one node is not drained',
      { node: node({ ...due, topology: 'SingleReplica' }), configs: { b: loud } },
      ['update is due', 'update', 'Working'],
    ],
    [
      'the drain is under way',
      { node: node({ ...due, state: 'Working', desiredDrain: 'drain-b' }), configs: { b: loud } },
      ['drain is answered', 'wait', undefined],
    ],
    [
      'the drain takes more than an hour',
      {
        node: node({ ...due, state: 'Working', desiredDrain: 'drain-b' }),
        configs: { b: loud },
        waitedMs: 3_600_000,
      },
      ['drain is answered', 'wait', 'Degraded'],
    ],
    [
      'nothing else is begun while a drain is under way',
      {
        node: node({ current: 'a', desired: 'c', desiredDrain: 'drain-b' }),
        configs: { c: quiet },
      },
      ['drain is answered', 'wait', undefined],
    ],
    [
      'the drain is done',
      {
        node: node({
          ...due,
          state: 'Working',
          desiredDrain: 'drain-b',
          lastAppliedDrain: 'drain-b',
        }),
        configs: { b: loud },
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'drained for another config before',
      {
        node: node({
          ...due,
          state: 'Degraded',
          desiredDrain: 'drain-z',
          lastAppliedDrain: 'drain-z',
        }),
        configs: { b: loud },
      },
      ['update is due', 'requestDrain', 'Working'],
    ],
    [
      'the change cannot be made on a running node',
      { node: node(due), configs: { b: config('b', {}, { fips: true }) } },
      ['update is due', 'unreconcilable', 'Unreconcilable'],
    ],
    [
      'in the new config, still cordoned',
      {
        node: node({
          current: 'z',
          desired: 'a',
          state: 'Working',
          desiredDrain: 'drain-a',
          lastAppliedDrain: 'drain-a',
        }),
      },
      ['node is uncordoned', 'complete', undefined],
    ],
    [
      'the uncordon is under way',
      {
        node: node({
          current: 'z',
          desired: 'a',
          state: 'Working',
          desiredDrain: 'uncordon-a',
          lastAppliedDrain: 'drain-a',
        }),
      },
      ['drain is answered', 'wait', undefined],
    ],
    [
      'the uncordon takes more than ten minutes',
      {
        node: node({
          current: 'z',
          desired: 'a',
          state: 'Working',
          desiredDrain: 'uncordon-a',
          lastAppliedDrain: 'drain-a',
        }),
        waitedMs: 600_000,
      },
      ['drain is answered', 'wait', 'Degraded'],
    ],
    [
      'uncordoned',
      {
        node: node({
          current: 'z',
          desired: 'a',
          state: 'Working',
          desiredDrain: 'uncordon-a',
          lastAppliedDrain: 'uncordon-a',
        }),
      },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'a file was changed by hand',
      { checked: { config: 'a', differences: [changedFile] } },
      ['disk is as it should be', 'degrade', 'Degraded'],
    ],
    [
      'a file was changed by hand before an update',
      {
        node: node(due),
        configs: { b: quiet },
        checked: { config: 'a', differences: [changedFile] },
      },
      ['disk is as it should be', 'degrade', 'Degraded'],
    ],
    [
      'the file was restored',
      { node: node({ current: 'a', desired: 'a', state: 'Degraded', reason: 'x' }) },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the force file on a healthy node does nothing',
      { disk: { config: config('a'), forced: true, problems: [] } },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the force file on a Degraded node: written anew, with a reboot',
      {
        node: node({ current: 'a', desired: 'a', state: 'Degraded' }),
        disk: { config: config('a'), forced: true, problems: [] },
        checked: { config: 'a', differences: [changedFile] },
      },
      ['force file', 'requestDrain', 'Working'],
    ],
    [
      'the force file skips the look before an update',
      {
        node: node({ ...due, topology: 'SingleReplica' }),
        disk: { config: config('a'), forced: true, problems: [] },
        configs: { b: quiet },
        checked: undefined,
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'blocked drift: not even the force file helps',
      {
        drift: 'block',
        node: node({ ...due, state: 'Degraded' }),
        disk: { config: config('a'), forced: true, problems: [] },
        configs: { b: quiet },
        checked: { config: 'a', differences: [changedFile] },
      },
      ['disk is as it should be', 'degrade', 'Degraded'],
    ],
    [
      'healing would reboot: reported',
      { drift: 'heal', checked: { config: 'a', differences: [changedFile] } },
      ['disk is as it should be', 'degrade', 'Degraded'],
    ],
    [
      'healing costs nothing: done',
      {
        drift: 'heal',
        disk: { config: config('a', { [quietFile]: '{}' }), forced: false, problems: [] },
        checked: { config: 'a', differences: [{ ...changedFile, at: quietFile }] },
      },
      ['disk is as it should be', 'update', 'Working'],
    ],
    [
      'the attempt before failed a moment ago',
      {
        node: node({ ...due, state: 'Degraded' }),
        configs: { b: quiet },
        failure: { attempt: 'a b  ', reason: 'no space', retryInMs: 4000 },
      },
      ['backing off', 'wait', 'Degraded'],
    ],
    [
      'retrying is Working, not Degraded',
      {
        node: node({ ...due, state: 'Degraded', reason: 'no space' }),
        configs: { b: quiet },
        failure: { attempt: 'a b  ', reason: 'no space', retryInMs: 0 },
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'another config is wanted than the one that failed',
      {
        node: node({ ...due, desired: 'c', state: 'Degraded' }),
        configs: { c: config('c', { '/etc/motd': 'a' }) },
        failure: { attempt: 'a b  ', reason: 'no space', retryInMs: 4000 },
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'etcd was restored: the disk is ahead of the Node',
      { disk: inB, configs: { a: config('a') }, checked: { config: 'b', differences: [] } },
      ['an update has its turn', 'stay', undefined],
    ],
    [
      'etcd was restored, and the Node was Degraded at that time',
      { disk: inB, node: node({ current: 'a', desired: 'a', state: 'Degraded' }) },
      ['an update has its turn', 'stay', undefined],
    ],
    [
      'etcd was restored to the moment in which the node had its turn for another config',
      {
        disk: inB,
        node: node({ current: 'z', desired: 'a', state: 'Done' }),
        configs: { a: config('a') },
        checked: { config: 'b', differences: [] },
      },
      ['update is due', 'requestDrain', 'Working'],
    ],
    [
      'etcd was restored to the moment in which the node had its turn for this config',
      {
        disk: inB,
        node: node({ current: 'a', desired: 'b', state: 'Done' }),
        checked: { config: 'b', differences: [] },
      },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the config was taken back while the node was drained for it: it goes on at once',
      {
        disk: inB,
        node: node({
          current: 'a',
          desired: 'a',
          state: 'Working',
          desiredDrain: 'drain-b',
          lastAppliedDrain: 'drain-b',
        }),
        configs: { a: config('a') },
        checked: { config: 'b', differences: [] },
      },
      ['update is due', 'requestDrain', 'Working'],
    ],
    [
      'the policy is not ready',
      {
        node: node(due),
        configs: { b: quiet },
        rules: { rules: '4.16', waitMs: 5000, note: 'not ready' },
      },
      ['policy is ready', 'wait', undefined],
    ],
  ])('%s', (_, more, expected) => {
    expect(decided(more)).toEqual(expected)
  })
})

describe('a machine that joins', () => {
  const joining = {
    bootstrap: { x: 'y' },
    forced: false,
    problems: [],
    config: config('mco-first'),
  }

  it('is in what it was served, not in what first boot stored', () => {
    expect(decided({ disk: joining, configs: { a: config('a') }, checked: undefined })).toEqual([
      'disk is looked at',
      'verify',
      undefined,
    ])
  })

  it('takes the served config where the cluster has no such config any more', () => {
    const disk = { ...joining, served: config('a') }
    expect(decided({ disk, configs: { a: 'missing' } })[1]).toBe('storeConfig')
  })

  it('gets the OS of its config, once', () => {
    const wanted = config('a', {}, { osImageURL: 'os:2' })
    const differences = [{ kind: 'osImage', at: 'the operating system', what: 'is old' } as const]
    const checked = { config: 'a', differences }
    const first = decide(facts({ disk: joining, configs: { a: wanted }, checked }))
    expect([first.policy, first.next.do]).toEqual(['new machine has its OS', 'update'])
    expect(first.next.do === 'update' && first.next.update.plan.steps).toEqual([
      { do: 'change-os', image: { from: 'os:1', to: 'os:2' } },
      { do: 'store-config' },
      { do: 'reboot', reason: expect.any(String) },
    ])
    const again = { ...checked, afterUpdate: true }
    expect(decided({ disk: joining, configs: { a: wanted }, checked: again })[1]).toBe('degrade')
  })
})

describe('an update that was interrupted', () => {
  const update = (drains: boolean): Update => ({
    plan: plan({
      current: config('a'),
      desired: loud,
      rules: '4.16',
      facts: { ...facts().machine, forced: false, drains },
    }),
    current: config('a'),
    desired: loud,
  })

  it('is resumed before anything else', () => {
    const interrupted = { update: update(false), rollingBack: false }
    expect(decided({ interrupted, node: node({ ...due, desired: 'c' }) })).toEqual([
      'nothing interrupted',
      'resume',
      'Working',
    ])
  })

  it('is drained again if the cluster has forgotten the drain', () => {
    const interrupted = { update: update(true), rollingBack: false }
    expect(decided({ interrupted, node: node(due) })[1]).toBe('requestDrain')
    const pending = node({ ...due, desiredDrain: 'drain-b' })
    expect(decided({ interrupted, node: pending })[1]).toBe('wait')
    const tooLong = decide(facts({ interrupted, node: pending, waitedMs: 3_600_000 }))
    expect(tooLong.next).toEqual({ do: 'wait', event: 'FailedToDrain' })
    expect(tooLong.report?.state).toBe('Degraded')
    expect(tooLong.why).toContain('the node was not drained within 60 minutes')
    const drained = node({ ...due, desiredDrain: 'drain-b', lastAppliedDrain: 'drain-b' })
    expect(decided({ interrupted, node: drained })[1]).toBe('resume')
  })

  it('is resumed without a drain once the machine is back, or when it is undone', () => {
    const reboot = { reason: 'x', happened: true }
    const back = { update: update(true), rollingBack: false, reboot }
    expect(decided({ interrupted: back, node: node(due) })[1]).toBe('resume')
    const undone = { update: update(true), rollingBack: true }
    expect(decided({ interrupted: undone, node: node(due) })[1]).toBe('resume')
  })

  it('waits its time when resuming failed', () => {
    const interrupted = { update: update(false), rollingBack: true }
    const failure = { attempt: 'resume b', reason: 'disk is broken', retryInMs: 10 }
    expect(decided({ interrupted, failure })[0]).toBe('backing off')
  })
})

const oldImage = {
  kind: 'osImage',
  at: 'the OS image',
  what: 'is os:1, expected os:2',
} as const

describe('which event a wait or a bad disk is', () => {
  const drift: Partial<Facts> = { checked: { config: 'a', differences: [changedFile] } }
  const pending = { desiredDrain: 'drain-b', state: 'Working' }

  it.each<readonly [string, Partial<Facts>]>([
    ['OnDiskStateValidationFailed', { ...drift, settled: false }],
    ['ConfigDriftDetected', drift],
    ['PreflightConfigDriftCheckFailed', { ...drift, node: node(due), configs: { b: quiet } }],
    ['FailedToDrain', { node: node({ ...due, ...pending }), waitedMs: 3_600_000 }],
    [
      'FailedToUncordon',
      { node: node({ ...due, ...pending, desiredDrain: 'uncordon-b' }), waitedMs: 600_000 },
    ],
  ])('%s', (event, more) => {
    expect(decide(facts({ configs: { b: loud }, ...more })).next).toMatchObject({ event })
  })
})

describe('an OS that did not boot', () => {
  const wrong = (more: Partial<Facts>, ...differences: Difference[]): unknown =>
    decided({
      node: node({ ...due, topology: 'SingleReplica' }),
      configs: { b: quiet },
      checked: { config: 'a', differences },
      ...more,
    })
  const finalizationFailure = 'error: no space'

  it('is left for another config, if nothing else is wrong and somebody knows why', () => {
    const stays = ['disk is as it should be', 'degrade', 'Degraded']
    expect(wrong({ finalizationFailure }, oldImage)).toEqual(['update is due', 'update', 'Working'])
    expect(wrong({}, oldImage)).toEqual(stays)
    expect(wrong({ finalizationFailure }, oldImage, changedFile)).toEqual(stays)
    expect(wrong({ finalizationFailure, drift: 'block' }, oldImage)).toEqual(stays)
    expect(wrong({ finalizationFailure, node: facts().node }, oldImage)).toEqual(stays)
  })
})

describe('what a decision says', () => {
  it('names every difference', () => {
    const other = { kind: 'file', at: '/etc/other', what: 'is not there' } as const
    const { report } = decide(
      facts({ checked: { config: 'a', differences: [changedFile, other] } }),
    )
    expect(report?.reason).toBe(
      'unexpected on-disk state validating against a: /etc/motd has content sha256:1111, expected sha256:2222; /etc/other is not there. Restore it, or touch /run/machine-config-daemon-force on the node to rewrite it with a drain and a reboot: no update begins until then',
    )
  })

  it('names what kept the staged OS from booting', () => {
    const finalizationFailure = `error: no space${'.'.repeat(1000)}`
    const reason = (...differences: Difference[]): string =>
      decide(facts({ checked: { config: 'a', differences }, finalizationFailure })).report
        ?.reason ?? ''
    expect(reason(oldImage)).toMatch(
      /^unexpected on-disk state validating against a: the OS image is os:1, .*; possible root cause: error: no space\.+ Restore it, .*$/,
    )
    expect(reason(oldImage).length).toBeLessThan(500)
    expect(reason(changedFile)).not.toContain('root cause')
  })

  it('names every reason why a change is refused, and the configs in the right order', () => {
    const desired = config('b', {}, { fips: true })
    const { report } = decide(facts({ node: node(due), configs: { b: desired } }))
    expect(report?.reason).toMatch(/^can't reconcile config a with b: .*FIPS/)
  })

  it('lists its policies in the order in which they are asked', () => {
    expect(policyNames[0]).toBe('node exists')
    expect(policyNames.at(-1)).toBe('update is due')
    expect(new Set(policyNames).size).toBe(policyNames.length)
  })
})

describe('a node that was told the next config before it could say that it is in the last one', () => {
  const late = node({ current: 'z', desired: 'b', state: 'Working' })

  it('says where it is before it goes on', () => {
    const { next, report } = decide(facts({ node: late, configs: { b: quiet } }))
    expect(next.do).toBe('update')
    expect(report).toEqual({ state: 'Working', current: { config: 'a' } })
  })

  it('says so, too, where it cannot go on', () => {
    const refused = config('b', { '/etc/motd': 'a' }, { fips: true })
    const { next, report } = decide(facts({ node: late, configs: { b: refused } }))
    expect(next.do).toBe('unreconcilable')
    expect(report?.current).toEqual({ config: 'a' })
  })

  it('says nothing about it where the Node says so already', () => {
    const { report } = decide(facts({ node: node(due), configs: { b: quiet } }))
    expect(report).toEqual({ state: 'Working' })
  })
})
