import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/daemon/follow/decide/decide.ts'
import type { FollowDecision } from '../../../../src/daemon/follow/decide/decision.ts'
import type { FollowFacts } from '../../../../src/daemon/follow/facts/facts.ts'
import { attemptOf } from '../../../../src/daemon/follow/facts/situation.ts'
import { anyFacts } from './arbitrary-facts.ts'

/** Checks every decision with one of these actions, and that there is at least one. */
function always(
  kinds: readonly FollowDecision['next']['action'][],
  holds: (d: FollowDecision, f: FollowFacts) => void,
): void {
  let seen = 0
  fc.assert(
    fc.property(anyFacts, (some) => {
      const decision = decide(some)
      if (!kinds.includes(decision.next.action)) return
      seen++
      holds(decision, some)
    }),
    { numRuns: 1500 },
  )
  expect(seen).toBeGreaterThan(0)
}

const acting = ['update', 'resume', 'requestDrain', 'complete', 'storeConfig', 'adopt'] as const

// Thousands of plans.
describe('for any facts', { timeout: 60_000 }, () => {
  it('the decision is deterministic and does not change the facts', () => {
    fc.assert(
      fc.property(anyFacts, (some) => {
        const before = JSON.stringify(some)
        const first = decide(some)
        expect(decide(structuredClone(some))).toEqual(first)
        expect(JSON.stringify(some)).toBe(before)
        expect(first.why).not.toBe('')
      }),
      { numRuns: 1000 },
    )
  })

  it('a node is Done only if its disk matches the desired config', () => {
    always(['done'], ({ report }, { node: own, checked, interrupted, disk, rebooting }) => {
      const annotations = own?.annotations ?? {}
      expect(report?.state).toBe('Done')
      expect(report?.current?.config).toBe(
        annotations['machineconfiguration.openshift.io/desiredConfig'],
      )
      expect(checked).toMatchObject({ config: report?.current?.config, differences: [] })
      expect([interrupted, disk.bootstrap, rebooting]).toEqual([undefined, undefined, false])
      expect(disk.config?.metadata.name).toBe(report?.current?.config)
    })
  })

  it('a node with an action in progress is Working, also during a retry', () => {
    always(['update', 'resume', 'requestDrain'], ({ report }) => {
      expect(report?.state).toBe('Working')
      expect(report?.reason).toBeUndefined()
    })
  })

  it('an update that needs a drain does not begin without one', () => {
    always(['update'], ({ next }, { node: own }) => {
      if (next.action !== 'update' || !next.update.plan.drain) return
      const applied = own?.annotations['machineconfiguration.openshift.io/lastAppliedDrain']
      expect(applied).toBe(`drain-${next.update.plan.to}`)
    })
  })

  it('no update begins without a turn, which is another desired config or a drain', () => {
    always(['update', 'requestDrain'], ({ next, check }, { node: own, disk, interrupted }) => {
      const annotation = (key: string) =>
        own?.annotations[`machineconfiguration.openshift.io/${key}`]
      const isOther = annotation('desiredConfig') !== annotation('currentConfig')
      const isOtherImage = (annotation('desiredImage') || '') !== (annotation('currentImage') || '')
      const isDrained =
        annotation('state') === 'Working' && annotation('desiredDrain')?.startsWith('drain-')
      // An update to the reported config is requested by an administrator or the drift policy. The rest concerns joining.
      const isOwn =
        (disk.config?.metadata.name === annotation('desiredConfig') &&
          (disk.image ?? '') === (annotation('desiredImage') || '')) ||
        disk.bootstrap !== undefined ||
        disk.config === undefined
      if (interrupted && next.action === 'requestDrain') return
      expect([check, isOther || isOtherImage || isDrained || isOwn]).toEqual([check, true])
    })
  })

  it('only a reconcilable update begins', () => {
    always(['update'], ({ next }) => {
      expect(next.action === 'update' && next.update.plan.reconcilable).toBe(true)
    })
  })

  it('healing never drains or reboots', () => {
    always(['update'], ({ next }, { drift }) => {
      if (next.action !== 'update' || !next.healing) return
      expect([drift, next.update.plan.drain, next.update.plan.reboot]).toEqual([
        'heal',
        false,
        false,
      ])
    })
  })

  it('a Degraded or Unreconcilable state has a reason', () => {
    always(['degrade', 'unreconcilable', 'wait'], ({ report, next }) => {
      expect(report?.reason ?? 'none needed').not.toBe('')
      const states = { degrade: 'Degraded', unreconcilable: 'Unreconcilable', wait: report?.state }
      expect(report?.state).toBe(states[next.action as keyof typeof states])
    })
  })

  it('nothing happens while a failed attempt backs off', () => {
    always(acting, (_, some) => {
      const { failure } = some
      const isBackingOff = failure !== undefined && failure.retryInMs > 0
      expect(isBackingOff && failure.attempt === attemptOf(some)).toBe(false)
    })
  })

  it('nothing happens for a missing Node, a Node that is being deleted, or a rebooting machine', () => {
    always([...acting, 'verify', 'done', 'degrade', 'unreconcilable'], (_, some) => {
      expect([some.node === undefined, some.node?.deleting, some.rebooting]).toEqual([
        false,
        false,
        false,
      ])
    })
  })

  it('nothing new begins while a drain or an uncordon is in progress', () => {
    always(['update', 'complete', 'done'], (_, { node: own }) => {
      const desired = own?.annotations['machineconfiguration.openshift.io/desiredDrain'] ?? ''
      const applied = own?.annotations['machineconfiguration.openshift.io/lastAppliedDrain'] ?? ''
      expect(desired === '' || desired === applied).toBe(true)
    })
  })
})
