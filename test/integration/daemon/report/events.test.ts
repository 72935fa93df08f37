import { describe, expect, it } from 'vitest'
import { encodeProvenance } from '../../../../src/planner/provenance/provenance.ts'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import type { Update } from '../../../../src/daemon/apply/update.ts'
import type { FollowDecision, NextAction } from '../../../../src/daemon/follow/decide/decision.ts'
import type { FollowFacts } from '../../../../src/daemon/follow/facts/facts.ts'
import {
  actionEvents,
  causeOf,
  failedAction,
  stagedEvents,
} from '../../../../src/daemon/report/action-events.ts'
import { eventsFor } from '../../../../src/daemon/report/decision-events.ts'
import { plan } from '../../../../src/planner/plan.ts'
import { config, facts, node, quietFile } from '../follow/facts.ts'

const machine = { ...facts().machine, forced: false, drains: true }

function update(current: MachineConfig, desired: MachineConfig): Update {
  const { booted: _, ...known } = machine
  return { plan: plan({ current, desired, rules: '4.16', facts: known }), current, desired }
}

const os = (name: string, spec: MachineConfig['spec']): MachineConfig =>
  config(name, { [quietFile]: 'x' }, spec)

function eventsOf(
  next: NextAction,
  more: Partial<FollowFacts> = {},
  report?: FollowDecision['report'],
): string[] {
  const decision: FollowDecision = { check: 'p', why: 'because', next, ...(report && { report }) }
  const all = facts(more)
  return eventsFor(decision, all, all.node!).map(
    ({ reason, message, isWarning: isBad }) =>
      `${isBad ? 'Warning' : 'Normal'} ${reason}: ${message}`,
  )
}

describe('events of a decision', () => {
  const done = { state: 'Done', reason: '', current: { config: 'a' } } as const

  it.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'a drain',
      eventsOf({ action: 'requestDrain', value: 'drain-b' }),
      [
        'Normal Cordon: Cordoned node worker-1 to apply update',
        'Normal Drain: Draining node worker-1 to update config: because',
      ],
    ],
    [
      'an uncordon',
      eventsOf({ action: 'complete', value: 'uncordon-b' }),
      ['Normal Uncordon: Update completed for config, uncordoning node worker-1'],
    ],
    [
      'a disk that is ahead of the Node',
      eventsOf({ action: 'stay', config: 'b' }),
      ['Warning DiskAheadOfNode: because'],
    ],
    ['a refusal', eventsOf({ action: 'unreconcilable' }), ['Warning FailedToReconcile: because']],
    [
      'a drain that takes too long',
      eventsOf({ action: 'wait', event: 'FailedToDrain' }),
      ['Warning FailedToDrain: because'],
    ],
    [
      'drift',
      eventsOf({ action: 'degrade', event: 'ConfigDriftDetected' }),
      ['Warning ConfigDriftDetected: because'],
    ],
    ['a wait', eventsOf({ action: 'wait' }), []],
    [
      'the first Done after a start',
      eventsOf({ action: 'done' }, { settled: false }, done),
      ['Normal NodeDone: Setting node worker-1, currentConfig a to Done'],
    ],
    ['a Done that was Done before', eventsOf({ action: 'done' }, {}, done), []],
    [
      'a Done after an update',
      eventsOf({ action: 'done' }, { node: node({ current: 'z', state: 'Working' }) }, done),
      ['Normal NodeDone: Setting node worker-1, currentConfig a to Done'],
    ],
    [
      'an update right after a start',
      eventsOf(
        { action: 'update', update: update(config('a'), config('b')), healing: false },
        { settled: false },
      ),
      ['Normal BootResync: Booting node worker-1, currentConfig a, desiredConfig b'],
    ],
    [
      'an update of the image',
      eventsOf({
        action: 'update',
        update: update(os('a', { osImageURL: 'os:1' }), os('b', { osImageURL: 'os:2' })),
        healing: false,
      }),
      [
        'Normal InClusterUpgrade: Updating from oscontainer os:2',
        'Normal OSUpdateStarted: Changing the OS (image) for b',
      ],
    ],
    [
      'an update of extensions',
      eventsOf({
        action: 'update',
        update: update(
          os('a', { osImageURL: 'os:1' }),
          os('b', { osImageURL: 'os:1', extensions: ['usbguard'] }),
        ),
        healing: false,
      }),
      [
        'Normal InClusterUpgrade: Updating from oscontainer os:1',
        'Normal OSUpdateStarted: Changing the OS (extensions) for b',
      ],
    ],
    [
      'an update of kernel arguments',
      eventsOf({
        action: 'update',
        update: update(os('a', {}), os('b', { kernelArguments: ['nosmt'] })),
        healing: false,
      }),
      ['Normal OSUpdateStarted: Changing the OS (kernelArguments) for b'],
    ],
  ])('%s', (_, events, expected) => {
    expect(events).toEqual(expected)
  })
})

describe('events of an update', () => {
  const policy = '/etc/containers/policy.json'
  const ca = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'
  const reasons = (events: readonly { reason: string }[]): string[] =>
    events.map(({ reason }) => reason)

  it('report that the OS is staged, with a new image or the same', () => {
    const image = update(os('a', { osImageURL: 'os:1' }), os('b', { osImageURL: 'os:2' }))
    expect(reasons(stagedEvents(image))).toEqual(['OSUpgradeApplied', 'OSUpdateStaged'])
    const words = update(os('a', {}), os('b', { kernelArguments: ['nosmt'] }))
    expect(reasons(stagedEvents(words))).toEqual(['OSUpgradeSkipped', 'OSUpdateStaged'])
    expect(stagedEvents(update(config('a'), config('b')))).toEqual([])
  })

  it('name the services, or that no reboot is required', () => {
    const events = (path: string): string[] => {
      const { plan: made } = update(config('a', { [path]: '1' }), config('b', { [path]: '2' }))
      return actionEvents(made).map(({ reason, message }) => `${reason}: ${message.split(':')[0]}`)
    }
    expect(events(policy)).toEqual(['ServiceReload: crio.service was reloaded'])
    expect(events(ca).at(-1)).toBe('ServiceRestart: crio.service was restarted')
    expect(events(quietFile)).toEqual(['SkipReboot: Config changes of b do not require reboot.'])
    expect(events('/etc/motd')).toEqual([])
  })

  it('name the service that failed', () => {
    const failed = (path: string, error: string): unknown => {
      const { plan: made } = update(config('a', { [path]: '1' }), config('b', { [path]: '2' }))
      return failedAction(made, error)?.reason
    }
    expect(failed(policy, 'crio.service does not run')).toBe('FailedServiceReload')
    expect(failed(ca, 'crio.service does not run')).toBe('FailedServiceRestart')
    expect(failed(policy, 'something else')).toBeUndefined()
  })

  it('name the rule of the failed action, and the MachineConfig of the failed path', () => {
    const desired = config('b', { [policy]: '2', '/etc/a': '2', '/etc/a/b': '2' })
    const from = { [policy]: '50-policy', '/etc/a': '60-a', '/etc/a/b': '70-b' }
    const annotations = { 'machinist.dev/provenance': encodeProvenance({ file: from }) }
    const rendered = { ...desired, metadata: { name: 'rendered-b', annotations } }
    const { plan: quiet } = update(config('a', { [policy]: '1' }), config('b', { [policy]: '2' }))
    expect(failedAction(quiet, 'crio.service does not run')?.message).toBe(
      'crio.service does not run (the rules of 4.16 for /etc/containers/policy.json)',
    )
    const { plan: made } = update(config('a', {}), rendered)
    expect(causeOf(made, 'cannot write /etc/a/b: disk full')).toBe(' (from MachineConfig 70-b)')
    expect(causeOf(made, 'cannot write /etc/a: disk full')).toBe(' (from MachineConfig 60-a)')
    expect(causeOf(made, 'disk full')).toBe('')
  })
})
