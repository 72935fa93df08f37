import { describe, expect, it } from 'vitest'
import { decide, checkNames } from '../../../../src/daemon/follow/decide/decide.ts'
import type { FollowFacts } from '../../../../src/daemon/follow/facts/facts.ts'
import type { Update } from '../../../../src/daemon/apply/update.ts'
import type { Difference } from '../../../../src/daemon/verify/difference.ts'
import { plan } from '../../../../src/planner/plan.ts'
import type { Annotated } from './facts.ts'
import { changedFile, config, facts, node, quietFile } from './facts.ts'

const due: Annotated = { current: 'a', desired: 'b', state: 'Done' }
const quiet = config('b', { '/etc/motd': 'a', [quietFile]: '{}' })
const loud = config('b')
const inB = { config: config('b'), forced: false, problems: [] }

const decided = (more: Partial<FollowFacts>): readonly [string, string, string | undefined] => {
  const { check, next, report } = decide(facts(more))
  return [check, next.action, report?.state]
}

describe('the decision for each state of a node', () => {
  it.each<readonly [string, Partial<FollowFacts>, readonly [string, string, string | undefined]]>([
    ['there is no Node yet', { node: undefined }, ['node exists', 'wait', undefined]],
    [
      'the Node is being deleted',
      { node: node(due, { deleting: true }), configs: { b: loud } },
      ['node is not being deleted', 'ignore', undefined],
    ],
    [
      'the machine is rebooting',
      { rebooting: true, node: node(due), configs: { b: loud } },
      ['machine is not rebooting', 'ignore', undefined],
    ],
    [
      'the stored config is invalid',
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
      'the Node lost its annotations, and the disk has a config',
      { node: node({ desired: 'a' }) },
      ['annotations are known', 'adopt', undefined],
    ],
    [
      'the node has no desired config',
      { node: node({}), disk: { forced: false, problems: [] } },
      ['a config is desired', 'wait', undefined],
    ],
    [
      'neither cluster nor disk has the current config',
      { disk: { forced: false, problems: [] }, configs: { a: 'missing' } },
      ['current config is known', 'degrade', 'Degraded'],
    ],
    [
      'the stored config was removed, and the disk matches currentConfig',
      { disk: { forced: false, problems: [] }, configs: { a: config('a') } },
      ['config is stored', 'storeConfig', undefined],
    ],
    [
      'a machine without a config gets one',
      {
        node: node({ desired: 'b' }),
        disk: { forced: false, problems: [] },
        configs: { b: quiet },
      },
      ['update is due', 'requestDrain', 'Working'],
    ],
    ['the node is healthy', {}, ['node is in its config', 'done', 'Done']],
    [
      'a missing state counts as Done',
      { node: node({ current: 'a', desired: 'a' }) },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the daemon just started, and the disk is not verified',
      { settled: false, checked: undefined },
      ['disk is verified', 'verify', undefined],
    ],
    [
      'the disk was verified against another config',
      { checked: { config: 'z', differences: [] } },
      ['disk is verified', 'verify', undefined],
    ],
    [
      'the desired config was pruned',
      { node: node(due), configs: { b: 'missing' } },
      ['desired config is known', 'degrade', 'Degraded'],
    ],
    [
      'a new config without a restart',
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
      'the drain is in progress',
      { node: node({ ...due, state: 'Working', desiredDrain: 'drain-b' }), configs: { b: loud } },
      ['drain is complete', 'wait', undefined],
    ],
    [
      'the drain takes more than an hour',
      {
        node: node({ ...due, state: 'Working', desiredDrain: 'drain-b' }),
        configs: { b: loud },
        waitedMs: 3_600_000,
      },
      ['drain is complete', 'wait', 'Degraded'],
    ],
    [
      'nothing else begins while a drain is in progress',
      {
        node: node({ current: 'a', desired: 'c', desiredDrain: 'drain-b' }),
        configs: { c: quiet },
      },
      ['drain is complete', 'wait', undefined],
    ],
    [
      'the drain is complete',
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
      'the node was drained for another config',
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
      'the uncordon is in progress',
      {
        node: node({
          current: 'z',
          desired: 'a',
          state: 'Working',
          desiredDrain: 'uncordon-a',
          lastAppliedDrain: 'drain-a',
        }),
      },
      ['drain is complete', 'wait', undefined],
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
      ['drain is complete', 'wait', 'Degraded'],
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
      'a user changed a file',
      { checked: { config: 'a', differences: [changedFile] } },
      ['disk matches its config', 'degrade', 'Degraded'],
    ],
    [
      'a user changed a file before an update',
      {
        node: node(due),
        configs: { b: quiet },
        checked: { config: 'a', differences: [changedFile] },
      },
      ['disk matches its config', 'degrade', 'Degraded'],
    ],
    [
      'the file was restored',
      { node: node({ current: 'a', desired: 'a', state: 'Degraded', reason: 'x' }) },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the force file on a healthy node has no effect',
      { disk: { config: config('a'), forced: true, problems: [] } },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the force file on a Degraded node causes a rewrite with a reboot',
      {
        node: node({ current: 'a', desired: 'a', state: 'Degraded' }),
        disk: { config: config('a'), forced: true, problems: [] },
        checked: { config: 'a', differences: [changedFile] },
      },
      ['force file', 'requestDrain', 'Working'],
    ],
    [
      'the force file skips the verification before an update',
      {
        node: node({ ...due, topology: 'SingleReplica' }),
        disk: { config: config('a'), forced: true, problems: [] },
        configs: { b: quiet },
        checked: undefined,
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'blocked drift ignores the force file',
      {
        drift: 'block',
        node: node({ ...due, state: 'Degraded' }),
        disk: { config: config('a'), forced: true, problems: [] },
        configs: { b: quiet },
        checked: { config: 'a', differences: [changedFile] },
      },
      ['disk matches its config', 'degrade', 'Degraded'],
    ],
    [
      'drift is reported if healing needs a reboot',
      { drift: 'heal', checked: { config: 'a', differences: [changedFile] } },
      ['disk matches its config', 'degrade', 'Degraded'],
    ],
    [
      'drift is healed if that needs neither drain nor reboot',
      {
        drift: 'heal',
        disk: { config: config('a', { [quietFile]: '{}' }), forced: false, problems: [] },
        checked: { config: 'a', differences: [{ ...changedFile, at: quietFile }] },
      },
      ['disk matches its config', 'update', 'Working'],
    ],
    [
      'the previous attempt failed just now',
      {
        node: node({ ...due, state: 'Degraded' }),
        configs: { b: quiet },
        failure: { attempt: 'a b  ', reason: 'no space', retryInMs: 4000 },
      },
      ['backing off', 'wait', 'Degraded'],
    ],
    [
      'a retry is Working, not Degraded',
      {
        node: node({ ...due, state: 'Degraded', reason: 'no space' }),
        configs: { b: quiet },
        failure: { attempt: 'a b  ', reason: 'no space', retryInMs: 0 },
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'another config than the failed one is desired',
      {
        node: node({ ...due, desired: 'c', state: 'Degraded' }),
        configs: { c: config('c', { '/etc/motd': 'a' }) },
        failure: { attempt: 'a b  ', reason: 'no space', retryInMs: 4000 },
      },
      ['update is due', 'update', 'Working'],
    ],
    [
      'etcd was restored, and the disk is ahead of the Node',
      { disk: inB, configs: { a: config('a') }, checked: { config: 'b', differences: [] } },
      ['update has a turn', 'stay', undefined],
    ],
    [
      'etcd was restored to a Degraded Node',
      { disk: inB, node: node({ current: 'a', desired: 'a', state: 'Degraded' }) },
      ['update has a turn', 'stay', undefined],
    ],
    [
      'etcd was restored to a turn for another config',
      {
        disk: inB,
        node: node({ current: 'z', desired: 'a', state: 'Done' }),
        configs: { a: config('a') },
        checked: { config: 'b', differences: [] },
      },
      ['update is due', 'requestDrain', 'Working'],
    ],
    [
      'etcd was restored to the turn for this config',
      {
        disk: inB,
        node: node({ current: 'a', desired: 'b', state: 'Done' }),
        checked: { config: 'b', differences: [] },
      },
      ['node is in its config', 'done', 'Done'],
    ],
    [
      'the config was taken back from a drained node, which continues at once',
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

  it('is in the served config, not in the one that first boot stored', () => {
    expect(decided({ disk: joining, configs: { a: config('a') }, checked: undefined })).toEqual([
      'disk is verified',
      'verify',
      undefined,
    ])
  })

  it('uses the served config if it does not exist in the cluster any more', () => {
    const disk = { ...joining, served: config('a') }
    expect(decided({ disk, configs: { a: 'missing' } })[1]).toBe('storeConfig')
  })

  it('gets the OS of its config, once', () => {
    const desired = config('a', {}, { osImageURL: 'os:2' })
    const differences = [{ kind: 'osImage', at: 'the operating system', what: 'is old' } as const]
    const checked = { config: 'a', differences }
    const first = decide(facts({ disk: joining, configs: { a: desired }, checked }))
    expect([first.check, first.next.action]).toEqual(['new machine has its OS', 'update'])
    expect(first.next.action === 'update' && first.next.update.plan.steps).toEqual([
      { do: 'change-os', image: { from: 'os:1', to: 'os:2' } },
      { do: 'store-config' },
      { do: 'reboot', reason: expect.any(String) },
    ])
    const again = { ...checked, afterUpdate: true }
    expect(decided({ disk: joining, configs: { a: desired }, checked: again })[1]).toBe('degrade')
  })
})

describe('an interrupted update', () => {
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
      'no update is interrupted',
      'resume',
      'Working',
    ])
  })

  it('requests the drain again if the API server lost it', () => {
    const interrupted = { update: update(true), rollingBack: false }
    expect(decided({ interrupted, node: node(due) })[1]).toBe('requestDrain')
    const pending = node({ ...due, desiredDrain: 'drain-b' })
    expect(decided({ interrupted, node: pending })[1]).toBe('wait')
    const tooLong = decide(facts({ interrupted, node: pending, waitedMs: 3_600_000 }))
    expect(tooLong.next).toEqual({ action: 'wait', event: 'FailedToDrain' })
    expect(tooLong.report?.state).toBe('Degraded')
    expect(tooLong.why).toContain('the node was not drained within 60 minutes')
    const drained = node({ ...due, desiredDrain: 'drain-b', lastAppliedDrain: 'drain-b' })
    expect(decided({ interrupted, node: drained })[1]).toBe('resume')
  })

  it('is resumed without a drain after the reboot, and during a rollback', () => {
    const reboot = { reason: 'x', happened: true }
    const back = { update: update(true), rollingBack: false, reboot }
    expect(decided({ interrupted: back, node: node(due) })[1]).toBe('resume')
    const undone = { update: update(true), rollingBack: true }
    expect(decided({ interrupted: undone, node: node(due) })[1]).toBe('resume')
  })

  it('backs off after a failed resume', () => {
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

describe('the event of a wait or of drift', () => {
  const drift: Partial<FollowFacts> = { checked: { config: 'a', differences: [changedFile] } }
  const pending = { desiredDrain: 'drain-b', state: 'Working' }

  it.each<readonly [string, Partial<FollowFacts>]>([
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
  const wrong = (more: Partial<FollowFacts>, ...differences: Difference[]): unknown =>
    decided({
      node: node({ ...due, topology: 'SingleReplica' }),
      configs: { b: quiet },
      checked: { config: 'a', differences },
      ...more,
    })
  const finalizationFailure = 'error: no space'

  it('is left for another config if nothing else differs and the cause is known', () => {
    const stays = ['disk matches its config', 'degrade', 'Degraded']
    expect(wrong({ finalizationFailure }, oldImage)).toEqual(['update is due', 'update', 'Working'])
    expect(wrong({}, oldImage)).toEqual(stays)
    expect(wrong({ finalizationFailure }, oldImage, changedFile)).toEqual(stays)
    expect(wrong({ finalizationFailure, drift: 'block' }, oldImage)).toEqual(stays)
    expect(wrong({ finalizationFailure, node: facts().node }, oldImage)).toEqual(stays)
  })
})

describe('the reason of a decision', () => {
  it('names every difference', () => {
    const other = { kind: 'file', at: '/etc/other', what: 'is not there' } as const
    const { report } = decide(
      facts({ checked: { config: 'a', differences: [changedFile, other] } }),
    )
    expect(report?.reason).toBe(
      'unexpected on-disk state validating against a: /etc/motd has content sha256:1111, expected sha256:2222; /etc/other is not there. Restore the disk, or touch /run/machine-config-daemon-force on the node to rewrite it with a drain and a reboot: no update begins until then',
    )
  })

  it('names why the staged OS did not boot', () => {
    const finalizationFailure = `error: no space${'.'.repeat(1000)}`
    const reason = (...differences: Difference[]): string =>
      decide(facts({ checked: { config: 'a', differences }, finalizationFailure })).report
        ?.reason ?? ''
    expect(reason(oldImage)).toMatch(
      /^unexpected on-disk state validating against a: the OS image is os:1, .*; possible root cause: error: no space\.+ Restore the disk, .*$/,
    )
    expect(reason(oldImage).length).toBeLessThan(500)
    expect(reason(changedFile)).not.toContain('root cause')
  })

  it('names every reason why a change is not reconcilable', () => {
    const desired = config('b', {}, { fips: true })
    const { report } = decide(facts({ node: node(due), configs: { b: desired } }))
    expect(report?.reason).toMatch(/^can't reconcile config a with b: .*FIPS/)
  })

  it('comes from the first check that decides, in the order of checkNames', () => {
    expect(checkNames[0]).toBe('node exists')
    expect(checkNames.at(-1)).toBe('update is due')
    expect(new Set(checkNames).size).toBe(checkNames.length)
  })
})

describe('a node with a new desired config before it has reported the last one', () => {
  const late = node({ current: 'z', desired: 'b', state: 'Working' })

  it('reports its current config with the update', () => {
    const { next, report } = decide(facts({ node: late, configs: { b: quiet } }))
    expect(next.action).toBe('update')
    expect(report).toEqual({ state: 'Working', current: { config: 'a' } })
  })

  it('reports its current config if the update is not reconcilable', () => {
    const refused = config('b', { '/etc/motd': 'a' }, { fips: true })
    const { next, report } = decide(facts({ node: late, configs: { b: refused } }))
    expect(next.action).toBe('unreconcilable')
    expect(report?.current).toEqual({ config: 'a' })
  })

  it('does not report a current config that the Node has already', () => {
    const { report } = decide(facts({ node: node(due), configs: { b: quiet } }))
    expect(report).toEqual({ state: 'Working' })
  })
})
