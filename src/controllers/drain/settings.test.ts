import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { matchesLabels } from '@machinist/core/objects/selectors'
import type { DrainPolicy } from '../../api/kinds/resources.ts'
import { settingsOf } from './settings.ts'

const policy = (spec: DrainPolicy['spec']): DrainPolicy => ({ metadata: { name: 'worker' }, spec })

describe('the settings of a drain', () => {
  it('are those of MCO by default', () => {
    for (const settings of [settingsOf(undefined), settingsOf(policy({}))]) {
      expect(settings).toMatchObject({ timeoutMs: 3_600_000, keepCordoned: false })
      expect(settings).not.toHaveProperty('graceSeconds')
      expect(settings).not.toHaveProperty('forceAfterMs')
      expect(matchesLabels(settings.skip, { any: 'label' })).toBe(false)
    }
  })

  it('come from the DrainPolicy of the pool', () => {
    const settings = settingsOf(
      policy({
        timeoutSeconds: 120,
        gracePeriodSeconds: 0,
        forceAfterSeconds: 600,
        keepCordoned: true,
        skipPodSelector: { matchLabels: { stays: 'yes' } },
      }),
    )
    expect(settings).toMatchObject({
      timeoutMs: 120_000,
      graceSeconds: 0,
      forceAfterMs: 600_000,
      keepCordoned: true,
    })
    expect(matchesLabels(settings.skip, { stays: 'yes' })).toBe(true)
    expect(matchesLabels(settings.skip, { stays: 'no' })).toBe(false)
  })

  it('keep no pod when the selector is empty', () => {
    expect(matchesLabels(settingsOf(policy({ skipPodSelector: {} })).skip, { a: 'b' })).toBe(false)
  })

  it('reject an invalid selector', () => {
    const expressions = [{ key: 'stays', operator: 'Perhaps' }]
    const read = () => settingsOf(policy({ skipPodSelector: { matchExpressions: expressions } }))
    expect(read).toThrow(InvalidInput)
    expect(read).toThrow('DrainPolicy worker: skipPodSelector is invalid')
  })
})
