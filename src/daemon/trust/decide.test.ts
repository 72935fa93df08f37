import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trustItems } from '../../api/trust/items.ts'
import type { ItemFacts, Trouble } from './decide.ts'
import { decideItem } from './decide.ts'
import type { Look } from './item.ts'
import type { Wanted } from './wanted.ts'

const look = (more: Partial<Look> = {}): Look => ({ holdings: [], ...more })
const facts = (more: Partial<ItemFacts> = {}): ItemFacts => ({
  item: trustItems.cloudCA,
  look: look(),
  isRemovable: false,
  ...more,
})
const direct = (digest?: string): Wanted => ({
  delivery: 'direct',
  digests: { ...(digest !== undefined && { 'cloud-ca': digest }) },
})
const trouble = (more: Partial<Trouble> = {}): Trouble => ({
  wanted: 'x',
  message: 'EIO',
  rests: true,
  ...more,
})

describe('an item', () => {
  it.each<[string, ItemFacts, Wanted, string]>([
    [
      'that nobody can read',
      facts({ look: { problem: 'EIO' } }),
      direct('x'),
      'unreadable nothing Failed: EIO',
    ],
    [
      'of which only the payload can tell',
      facts(),
      { delivery: 'direct' },
      'unknown ask Lagging: what the cluster wants has yet to be read',
    ],
    [
      'that is as wanted',
      facts({ look: look({ digest: 'x' }) }),
      direct('x'),
      'current nothing Current',
    ],
    [
      'that is as wanted, and not in force',
      facts({ look: look({ digest: 'x', pending: 'it waits' }) }),
      direct('x'),
      'current nothing Lagging: it waits',
    ],
    [
      'that is as wanted, with a remark',
      facts({ look: look({ digest: 'x', remark: 'by the way' }) }),
      direct('x'),
      'current nothing Current: by the way',
    ],
    [
      'that has no place here',
      facts({ look: look({ inapplicable: 'there is no kubelet' }) }),
      direct('x'),
      'inapplicable nothing Current: there is no kubelet',
    ],
    [
      'that differs',
      facts({ look: look({ digest: 'y' }) }),
      direct('x'),
      'differs write Lagging: it is yet to be written',
    ],
    ['that is absent', facts(), direct('x'), 'differs write Lagging: it is yet to be written'],
    [
      'that failed a moment ago',
      facts({ trouble: trouble() }),
      direct('x'),
      'resting nothing Failed: EIO',
    ],
    [
      'that failed long enough ago',
      facts({ trouble: trouble({ rests: false }) }),
      direct('x'),
      'differs write Lagging: it is yet to be written',
    ],
    [
      'that failed for something else',
      facts({ trouble: trouble({ wanted: 'y' }) }),
      direct('x'),
      'differs write Lagging: it is yet to be written',
    ],
    [
      'that is not given',
      facts({ look: look({ digest: 'x' }) }),
      direct(),
      'notGiven nothing NotGiven',
    ],
    [
      'that is not given, and ours',
      facts({ isRemovable: true }),
      direct(),
      'notGiven remove Lagging: it is yet to be taken away',
    ],
    [
      'that is not given, and could not be taken away',
      facts({ isRemovable: true, trouble: { message: 'EIO', rests: true } }),
      direct(),
      'notGiven nothing Failed: EIO',
    ],
    [
      'that is given by this machine only',
      facts({ look: look({ local: 'l', digest: 'l' }), isRemovable: true }),
      direct(),
      'current nothing Current',
    ],
    [
      'that is in MachineConfigs, and as wanted',
      facts({ look: look({ digest: 'x' }) }),
      { ...direct('x'), delivery: 'rendered' },
      'rendered nothing Rendered',
    ],
    [
      'that is in MachineConfigs, and behind',
      facts({ look: look({ digest: 'y' }), isRemovable: true }),
      { ...direct('x'), delivery: 'rendered' },
      'rendered nothing Rendered: it comes with MachineConfigs, and this node has another one',
    ],
    [
      'that would be in MachineConfigs, and is not given',
      facts({ look: look({ digest: 'y' }), isRemovable: true }),
      { ...direct(), delivery: 'rendered' },
      'rendered nothing NotGiven',
    ],
    [
      'that never is in MachineConfigs',
      facts({ item: trustItems.registryCAs }),
      { delivery: 'rendered', digests: { 'registry-cas': 'x' } },
      'differs write Lagging: it is yet to be written',
    ],
  ])('%s', (_, given, wanted, expected) => {
    const { policy, do: what, state, message } = decideItem(given, wanted)
    const said = message === undefined ? '' : `: ${message}`
    expect(`${policy} ${what} ${state}${said}`).toBe(expected)
  })

  it('is never taken away unless it is ours and not given, and never written when it rests or is rendered', () => {
    const digest = fc.option(fc.constantFrom('x', 'y'), { nil: undefined })
    const arbitrary = fc.record({
      item: fc.constantFrom(...Object.values(trustItems)),
      there: digest,
      wanted: digest,
      isRemovable: fc.boolean(),
      rests: fc.boolean(),
      failed: digest,
      delivery: fc.constantFrom('direct' as const, 'rendered' as const),
    })
    fc.assert(
      fc.property(arbitrary, ({ item, there, wanted, isRemovable, rests, failed, delivery }) => {
        const decision = decideItem(
          {
            item,
            look: look({ ...(there !== undefined && { digest: there }) }),
            isRemovable,
            ...(failed !== undefined && { trouble: trouble({ wanted: failed, rests }) }),
          },
          { delivery, digests: { ...(wanted !== undefined && { [item]: wanted }) } },
        )
        const isRendered =
          delivery === 'rendered' && ['kubelet-client-ca', 'cloud-ca'].includes(item)
        const isResting = rests && failed !== undefined && failed === wanted
        const { do: what, state } = decision
        expect({
          removes: what !== 'remove' || (isRemovable && wanted === undefined && !isRendered),
          writes: what !== 'write' || (there !== wanted && !isResting && !isRendered),
          current: state !== 'Current' || there === wanted,
        }).toEqual({ removes: true, writes: true, current: true })
      }),
      { numRuns: 300 },
    )
  })
})
