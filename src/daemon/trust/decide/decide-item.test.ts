import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trustItems } from '../../../api/trust/items.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'
import type { ItemFacts, ItemFailure } from '../facts/facts.ts'
import type { ObservedItem } from '../items/item.ts'
import { decideItem } from './decide-item.ts'

const look = (more: Partial<ObservedItem> = {}): ObservedItem => ({ holdings: [], ...more })
const facts = (more: Partial<ItemFacts> = {}): ItemFacts => ({
  item: trustItems.cloudCA,
  observed: look(),
  isRemovable: false,
  needsPayload: true,
  waitMs: 0,
  ...more,
})
const direct = (digest?: string): DesiredTrust => ({
  delivery: 'direct',
  digests: { ...(digest !== undefined && { 'cloud-ca': digest }) },
})
const failure = (more: Partial<ItemFailure> = {}): ItemFailure => ({
  desired: 'x',
  message: 'EIO',
  isBackingOff: true,
  ...more,
})

describe('an item', () => {
  it.each<[string, ItemFacts, DesiredTrust, string]>([
    [
      'that cannot be read',
      facts({ observed: { problem: 'EIO' } }),
      direct('x'),
      'unreadable nothing Failed: EIO',
    ],
    [
      'whose digest is unknown',
      facts(),
      { delivery: 'direct' },
      'unknown fetch Lagging: the desired digest is not known yet',
    ],
    [
      'that is current',
      facts({ observed: look({ digest: 'x' }) }),
      direct('x'),
      'current nothing Current',
    ],
    [
      'that is current, and not in effect',
      facts({ observed: look({ digest: 'x', pending: 'it waits' }) }),
      direct('x'),
      'current nothing Lagging: it waits',
    ],
    [
      'that is current, with a remark',
      facts({ observed: look({ digest: 'x', remark: 'by the way' }) }),
      direct('x'),
      'current nothing Current: by the way',
    ],
    [
      'that does not apply',
      facts({ observed: look({ inapplicable: 'there is no kubelet' }) }),
      direct('x'),
      'inapplicable nothing Current: there is no kubelet',
    ],
    [
      'that differs',
      facts({ observed: look({ digest: 'y' }) }),
      direct('x'),
      'differs write Lagging: waiting to be written',
    ],
    ['that is absent', facts(), direct('x'), 'differs write Lagging: waiting to be written'],
    [
      'that failed just now',
      facts({ failure: failure() }),
      direct('x'),
      'backingOff nothing Failed: EIO',
    ],
    [
      'that failed long enough ago',
      facts({ failure: failure({ isBackingOff: false }) }),
      direct('x'),
      'differs write Lagging: waiting to be written',
    ],
    [
      'that failed for something else',
      facts({ failure: failure({ desired: 'y' }) }),
      direct('x'),
      'differs write Lagging: waiting to be written',
    ],
    [
      'that is not given',
      facts({ observed: look({ digest: 'x' }) }),
      direct(),
      'notGiven nothing NotGiven',
    ],
    [
      'that is not given, and owned',
      facts({ isRemovable: true }),
      direct(),
      'notGiven remove Lagging: waiting to be removed',
    ],
    [
      'that is not given, and could not be removed',
      facts({ isRemovable: true, failure: { message: 'EIO', isBackingOff: true } }),
      direct(),
      'notGiven nothing Failed: EIO',
    ],
    [
      'that is given by this machine only',
      facts({ observed: look({ local: 'l', digest: 'l' }), isRemovable: true }),
      direct(),
      'current nothing Current',
    ],
    [
      'that is in MachineConfigs, and current',
      facts({ observed: look({ digest: 'x' }) }),
      { ...direct('x'), delivery: 'rendered' },
      'rendered nothing Rendered',
    ],
    [
      'that is in MachineConfigs, and behind',
      facts({ observed: look({ digest: 'y' }), isRemovable: true }),
      { ...direct('x'), delivery: 'rendered' },
      'rendered nothing Rendered: MachineConfigs deliver it, and the config of this node contains another version',
    ],
    [
      'that would be in MachineConfigs, and is not given',
      facts({ observed: look({ digest: 'y' }), isRemovable: true }),
      { ...direct(), delivery: 'rendered' },
      'rendered nothing NotGiven',
    ],
    [
      'that never is in MachineConfigs',
      facts({ item: trustItems.registryCAs }),
      { delivery: 'rendered', digests: { 'registry-cas': 'x' } },
      'differs write Lagging: waiting to be written',
    ],
  ])('%s', (_, given, desired, expected) => {
    const { check, action, state, message } = decideItem(given, desired)
    const suffix = message === undefined ? '' : `: ${message}`
    expect(`${check} ${action} ${state}${suffix}`).toBe(expected)
  })

  it('is removed only if it is owned and not given, and not written while it backs off or is rendered', () => {
    const digest = fc.option(fc.constantFrom('x', 'y'), { nil: undefined })
    const arbitrary = fc.record({
      item: fc.constantFrom(...Object.values(trustItems)),
      there: digest,
      desired: digest,
      isRemovable: fc.boolean(),
      rests: fc.boolean(),
      failed: digest,
      delivery: fc.constantFrom('direct' as const, 'rendered' as const),
    })
    fc.assert(
      fc.property(arbitrary, ({ item, there, desired, isRemovable, rests, failed, delivery }) => {
        const decision = decideItem(
          {
            item,
            observed: look({ ...(there !== undefined && { digest: there }) }),
            isRemovable,
            needsPayload: true,
            waitMs: 0,
            ...(failed !== undefined && {
              failure: failure({ desired: failed, isBackingOff: rests }),
            }),
          },
          { delivery, digests: { ...(desired !== undefined && { [item]: desired }) } },
        )
        const isRendered =
          delivery === 'rendered' && ['kubelet-client-ca', 'cloud-ca'].includes(item)
        const isResting = rests && failed !== undefined && failed === desired
        const { action: what, state } = decision
        expect({
          removes: what !== 'remove' || (isRemovable && desired === undefined && !isRendered),
          writes: what !== 'write' || (there !== desired && !isResting && !isRendered),
          current: state !== 'Current' || there === desired,
        }).toEqual({ removes: true, writes: true, current: true })
      }),
      { numRuns: 300 },
    )
  })
})
