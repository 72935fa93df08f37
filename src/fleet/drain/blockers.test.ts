import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBlockers, formatBlockers, onOneLine, sameBlockers, blockReason } from './blockers.ts'

const web = {
  pod: 'shop/web-1',
  why: 'PodDisruptionBudget shop/web allows 0 disruptions',
  since: '2026-01-01T00:00:00Z',
}

describe('the text about pods that block a drain', () => {
  it('has one clause per pod, on one line', () => {
    const text = formatBlockers([web, { ...web, pod: 'shop/web-2' }])
    expect(text).toBe(
      'shop/web-1: PodDisruptionBudget shop/web allows 0 disruptions (since 2026-01-01T00:00:00Z); ' +
        'shop/web-2: PodDisruptionBudget shop/web allows 0 disruptions (since 2026-01-01T00:00:00Z)',
    )
  })

  it('names at most 20 pods, and compares only those', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ...web, pod: `shop/web-${100 + i}` }))
    const lines = formatBlockers(many).split('; ')
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('and 30 more')
    expect(sameBlockers(many, parseBlockers(formatBlockers(many)))).toBe(true)
    expect(sameBlockers(many, many.slice(1))).toBe(false)
  })

  it('is read back within a message', () => {
    const text = `Draining for x is held up by 4 pods: ${formatBlockers([web])}; and 3 more`
    expect(parseBlockers(text)).toEqual([web])
    const failed = `Draining for x is held up by 1 pod: ${formatBlockers([web])}. Error: 500; again`
    expect(parseBlockers(failed)).toEqual([web])
    expect(parseBlockers(undefined)).toEqual([])
    expect(parseBlockers('Draining for x: soon (since 2026-01-01T00:00:00Z)')).toEqual([])
  })

  it('is read back as it was written, with any reason', () => {
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
        expect(parseBlockers(formatBlockers(blockers))).toEqual(blockers)
      }),
      { numRuns: 300 },
    )
  })

  it('is parsed from any text without an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Array.isArray(parseBlockers(text))).toBe(true)
      }),
    )
  })
})

describe('why a pod is blocked', () => {
  const budget = (name: string, disruptionsAllowed: number, desiredHealthy = 2) => ({
    metadata: { namespace: 'shop', name },
    status: { disruptionsAllowed, currentHealthy: 2, desiredHealthy, expectedPods: 3 },
  })

  it.each([
    [0, 2, 'allows 0 disruptions: 2 of its 3 pods must be healthy'],
    [0, 3, 'allows 0 disruptions: 3 of its 3 pods must be healthy, so none can ever be evicted'],
    [1, 2, 'allows 1 disruption at a time, and other pods that it selects come first'],
    [2, 1, 'allows 2 disruptions at a time, and other pods that it selects come first'],
  ])('names the budget that allows %i with %i healthy pods required', (allowed, healthy, why) => {
    const found = blockReason([budget('web', allowed, healthy)], 'no')
    expect(found).toBe(`PodDisruptionBudget shop/web ${why}`)
  })

  it('names all budgets of a pod that has several', () => {
    expect(blockReason([budget('web', 1), budget('all', 0)], 'no')).toBe(
      'PodDisruptionBudgets shop/all, shop/web all select it, and Kubernetes evicts only pods with a single budget: change their selectors',
    )
  })

  it('is the message of the API server without a budget, on one line and bounded', () => {
    expect(blockReason([], 'webhook\n denied  it')).toBe('webhook denied it')
    expect(blockReason([], ' ')).toBe('without a reason')
    expect(blockReason([], 'x'.repeat(1000))).toBe(`${'x'.repeat(300)}…`)
  })
})
