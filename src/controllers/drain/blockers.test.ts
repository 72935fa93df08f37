import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockersIn, blockersText, onOneLine, sameBlockers, whyBlocked } from './blockers.ts'

const web = {
  pod: 'shop/web-1',
  why: 'PodDisruptionBudget shop/web allows 0 disruptions',
  since: '2026-01-01T00:00:00Z',
}

describe('the text about pods that are in the way', () => {
  it('has a line for each', () => {
    const text = blockersText([web, { ...web, pod: 'shop/web-2' }])
    expect(text).toBe(
      'shop/web-1: PodDisruptionBudget shop/web allows 0 disruptions (since 2026-01-01T00:00:00Z)\n' +
        'shop/web-2: PodDisruptionBudget shop/web allows 0 disruptions (since 2026-01-01T00:00:00Z)',
    )
  })

  it('is short even if there are many, and still the same when only those that are not named change', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ...web, pod: `shop/web-${100 + i}` }))
    const lines = blockersText(many).split('\n')
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('and 30 more')
    expect(sameBlockers(many, blockersIn(blockersText(many)))).toBe(true)
    expect(sameBlockers(many, many.slice(1))).toBe(false)
  })

  it('is read back wherever it stands', () => {
    const text = `Draining for x is held up by 1 pod:\n${blockersText([web])}\nand 3 more`
    expect(blockersIn(text)).toEqual([web])
    expect(blockersIn(undefined)).toEqual([])
    expect(blockersIn('Draining for x: soon (since 2026-01-01T00:00:00Z)')).toEqual([])
  })

  it('is read back as it was written, whatever a server says', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,9}[a-z0-9])?$/)
    const blocker = fc
      .record({ namespace: name, name, why: fc.string({ maxLength: 400, unit: 'grapheme' }) })
      .map(({ namespace, name, why }) => ({
        pod: `${namespace}/${name}`,
        why: onOneLine(why),
        since: '2026-01-01T00:00:00Z',
      }))
    fc.assert(
      fc.property(fc.array(blocker, { maxLength: 20 }), (blockers) => {
        expect(blockersIn(blockersText(blockers))).toEqual(blockers)
      }),
      { numRuns: 300 },
    )
  })

  it('cannot be broken by any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Array.isArray(blockersIn(text))).toBe(true)
      }),
    )
  })
})

describe('why a pod is blocked', () => {
  const budget = (name: string, disruptionsAllowed: number) => ({
    metadata: { namespace: 'shop', name },
    status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  })

  it('names the budgets and what they allow', () => {
    expect(whyBlocked([budget('web', 0)], 'no')).toBe(
      'PodDisruptionBudget shop/web allows 0 disruptions',
    )
    expect(whyBlocked([budget('web', 1), budget('all', 0)], 'no')).toBe(
      'PodDisruptionBudget shop/all allows 0 disruptions, PodDisruptionBudget shop/web allows 1 disruption',
    )
  })

  it('or else what the server said, on one line and not too long', () => {
    expect(whyBlocked([], 'webhook\n denied  it')).toBe('webhook denied it')
    expect(whyBlocked([], ' ')).toBe('without a reason')
    expect(whyBlocked([], 'x'.repeat(1000))).toBe(`${'x'.repeat(300)}…`)
  })
})
