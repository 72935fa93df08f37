import { describe, expect, it } from 'vitest'
import { emptyControllerConfigSpec } from '../../../api/kinds/new-controller-config.ts'
import type { TrustItem } from '../../../api/trust/items.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'
import type { ItemFacts, TrustFacts } from '../facts/facts.ts'
import { decide } from './decide.ts'

const config: TrustFacts['config'] = {
  uid: 'u',
  generation: 1,
  version: '1',
  delivery: 'direct',
  digestsAnnotation: '{}',
  isComplete: true,
  isRotating: false,
}
const payload = { metadata: { name: 'c' }, spec: emptyControllerConfigSpec }
const desired = (digests: DesiredTrust['digests']): DesiredTrust => ({
  delivery: 'direct',
  ...(digests && { digests }),
})
/** An item with this digest on disk. */
const item = (name: TrustItem, digest?: string, more: Partial<ItemFacts> = {}): ItemFacts => ({
  item: name,
  observed: { holdings: [], ...(digest !== undefined && { digest }) },
  isRemovable: false,
  needsPayload: true,
  waitMs: 0,
  ...more,
})
const both = desired({ 'cloud-ca': 'x', 'kubelet-client-ca': 'y' })
const differing = [item('cloud-ca'), item('kubelet-client-ca', 'y')]
/** The action, with the items that it concerns. */
function planned(facts: Omit<TrustFacts, 'config'>): string {
  const { next } = decide({ config, ...facts })
  if (next.action === 'wait') return `wait ${next.forMs}`
  if (next.action === 'apply') {
    const items = next.changes.map((change) => change.item).join()
    return `apply ${items}${next.payload ? ' from the payload' : ''}`
  }
  if (next.action === 'backOff') return `back off ${next.reverted.map((each) => each.item).join()}`
  return next.action
}

describe('the first pass', () => {
  it('settles if no item is open', () => {
    const items = [item('cloud-ca', 'x'), item('kubelet-client-ca', 'y', { waitMs: 9 })]
    expect(planned({ desired: both, items })).toBe('settle')
  })

  it('waits for the open item that is due first', () => {
    const items = [
      item('cloud-ca', 'z', { waitMs: 7 }),
      item('kubelet-client-ca', 'z', { waitMs: 5 }),
      item('registry-cas', undefined, { waitMs: 1 }),
    ]
    expect(planned({ desired: both, items })).toBe('wait 5')
  })

  it('fetches the payload if a write needs it, or to know what is desired', () => {
    expect(planned({ desired: both, items: differing })).toBe('fetch')
    const unneeded = [item('api-server-ca', undefined, { needsPayload: false })]
    expect(planned({ desired: desired(undefined), items: unneeded })).toBe('fetch')
  })

  it('applies changes that need no payload', () => {
    const items = [
      item('api-server-ca', undefined, { needsPayload: false }),
      item('cloud-ca', 'x', { isRemovable: true }),
    ]
    expect(planned({ desired: desired({ 'api-server-ca': 'x' }), items })).toBe(
      'apply api-server-ca,cloud-ca',
    )
  })
})

describe('a pass after another one', () => {
  it('applies what the payload covers', () => {
    const previous = { type: 'fetched', payload } as const
    const items = [item('cloud-ca'), item('kubelet-client-ca')]
    expect(planned({ desired: both, items, previous, fetched: both })).toBe(
      'apply cloud-ca,kubelet-client-ca from the payload',
    )
    const older = desired({ 'cloud-ca': 'w', 'kubelet-client-ca': 'y' })
    expect(planned({ desired: both, items, previous, fetched: older })).toBe(
      'apply kubelet-client-ca from the payload',
    )
    const rendered: DesiredTrust = { ...both, delivery: 'rendered' }
    expect(planned({ desired: both, items, previous, fetched: rendered })).toBe(
      'apply  from the payload',
    )
  })

  it('backs off for applied items that differ again, and only for these', () => {
    const applied = (...items: TrustItem[]) => ({ type: 'applied', items: new Set(items) }) as const
    const facts = { desired: both, items: differing }
    expect(planned({ ...facts, previous: applied('cloud-ca') })).toBe('back off cloud-ca')
    expect(planned({ ...facts, previous: applied('kubelet-client-ca') })).toBe('settle')
  })

  it('settles after a back-off', () => {
    const previous = { type: 'backingOff' } as const
    expect(planned({ desired: both, items: differing, previous })).toBe('settle')
  })
})
