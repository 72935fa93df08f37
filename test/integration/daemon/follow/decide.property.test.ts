import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/daemon/follow/decide.ts'
import type { Decision } from '../../../../src/daemon/follow/decision.ts'
import type { Facts } from '../../../../src/daemon/follow/facts.ts'
import { attemptOf } from '../../../../src/daemon/follow/situation.ts'
import { anyFacts } from './arbitrary-facts.ts'

/** Checks every decision of one kind; and that there were some to check. */
function always(
  kinds: readonly Decision['next']['do'][],
  holds: (d: Decision, f: Facts) => void,
): void {
  let seen = 0
  fc.assert(
    fc.property(anyFacts, (some) => {
      const decision = decide(some)
      if (!kinds.includes(decision.next.do)) return
      seen++
      holds(decision, some)
    }),
    { numRuns: 1500 },
  )
  expect(seen).toBeGreaterThan(0)
}

const acting = ['update', 'resume', 'requestDrain', 'complete', 'storeConfig', 'adopt'] as const

// Thousands of plans.
describe('whatever the facts are', { timeout: 60_000 }, () => {
  it('there is a decision, always the same, and the facts stay as they are', () => {
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

  it('Done is only said of a disk that was found in order, in the config that is desired', () => {
    always(['done'], ({ report }, { node: own, checked, interrupted, disk, rebooting }) => {
      const said = own?.annotations ?? {}
      expect(report?.state).toBe('Done')
      expect(report?.current?.config).toBe(said['machineconfiguration.openshift.io/desiredConfig'])
      expect(checked).toMatchObject({ config: report?.current?.config, differences: [] })
      expect([interrupted, disk.bootstrap, rebooting]).toEqual([undefined, undefined, false])
      expect(disk.config?.metadata.name).toBe(report?.current?.config)
    })
  })

  it('whoever works on it says Working, also when it is tried again', () => {
    always(['update', 'resume', 'requestDrain'], ({ report }) => {
      expect(report?.state).toBe('Working')
      expect(report?.reason).toBeUndefined()
    })
  })

  it('an update that needs a drain is not begun without one', () => {
    always(['update'], ({ next }, { node: own }) => {
      if (next.do !== 'update' || !next.update.plan.drain) return
      const applied = own?.annotations['machineconfiguration.openshift.io/lastAppliedDrain']
      expect(applied).toBe(`drain-${next.update.plan.to}`)
    })
  })

  it('no update begins without a turn: by a desired config that the Node did not report, or in a drain', () => {
    always(['update', 'requestDrain'], ({ next, policy }, { node: own, disk, interrupted }) => {
      const said = (key: string) => own?.annotations[`machineconfiguration.openshift.io/${key}`]
      const isOther = said('desiredConfig') !== said('currentConfig')
      const isOtherImage = (said('desiredImage') || '') !== (said('currentImage') || '')
      const isDrained = said('state') === 'Working' && said('desiredDrain')?.startsWith('drain-')
      // Of the config that the Node reports: an administrator or the drift policy asked for it. The rest is about joining.
      const isOwn =
        (disk.config?.metadata.name === said('desiredConfig') &&
          (disk.image ?? '') === (said('desiredImage') || '')) ||
        disk.bootstrap !== undefined ||
        disk.config === undefined
      if (interrupted && next.do === 'requestDrain') return
      expect([policy, isOther || isOtherImage || isDrained || isOwn]).toEqual([policy, true])
    })
  })

  it('only what can be reconciled is begun', () => {
    always(['update'], ({ next }) => {
      expect(next.do === 'update' && next.update.plan.reconcilable).toBe(true)
    })
  })

  it('healing never drains or reboots', () => {
    always(['update'], ({ next }, { drift }) => {
      if (next.do !== 'update' || !next.healing) return
      expect([drift, next.update.plan.drain, next.update.plan.reboot]).toEqual([
        'heal',
        false,
        false,
      ])
    })
  })

  it('a bad state has a reason', () => {
    always(['degrade', 'unreconcilable', 'wait'], ({ report, next }) => {
      expect(report?.reason ?? 'none needed').not.toBe('')
      const states = { degrade: 'Degraded', unreconcilable: 'Unreconcilable', wait: report?.state }
      expect(report?.state).toBe(states[next.do as keyof typeof states])
    })
  })

  it('nothing is done while an attempt that failed has to rest', () => {
    always(acting, (_, some) => {
      const { failure } = some
      const rests = failure !== undefined && failure.retryInMs > 0
      expect(rests && failure.attempt === attemptOf(some)).toBe(false)
    })
  })

  it('nothing is done for a Node that is not there, is going, or whose machine goes down', () => {
    always([...acting, 'verify', 'done', 'degrade', 'unreconcilable'], (_, some) => {
      expect([some.node === undefined, some.node?.deleting, some.rebooting]).toEqual([
        false,
        false,
        false,
      ])
    })
  })

  it('nothing new is begun while a drain or an uncordon is under way', () => {
    always(['update', 'complete', 'done'], (_, { node: own }) => {
      const wanted = own?.annotations['machineconfiguration.openshift.io/desiredDrain'] ?? ''
      const applied = own?.annotations['machineconfiguration.openshift.io/lastAppliedDrain'] ?? ''
      expect(wanted === '' || wanted === applied).toBe(true)
    })
  })
})
