import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readTokenSettings } from './token-settings.ts'

const refresh = 'machinist.dev/provisioning-token-refresh'
const overlap = 'machinist.dev/provisioning-token-overlap'
const day = 86_400_000

it('a token is rotated after 30 days and valid for 7 more by default', () => {
  const defaults = { refreshMs: 30 * day, overlapMs: 7 * day, problems: [] }
  expect(readTokenSettings()).toEqual(defaults)
  expect(readTokenSettings({ other: 'x' })).toEqual(defaults)
})

it('annotations of the pool change the settings', () => {
  expect(readTokenSettings({ [refresh]: '48h', [overlap]: '1h30m' })).toEqual({
    refreshMs: 2 * day,
    overlapMs: 5_400_000,
    problems: [],
  })
})

it('an unreadable or short duration is reported, and the default is in effect', () => {
  expect(readTokenSettings({ [refresh]: '30d', [overlap]: '59m' })).toEqual({
    refreshMs: 30 * day,
    overlapMs: 7 * day,
    problems: [
      'annotation machinist.dev/provisioning-token-refresh must be a duration of at least 1h, such as 720h: the default of 720h is in effect',
      'annotation machinist.dev/provisioning-token-overlap must be a duration of at least 1h, such as 168h: the default of 168h is in effect',
    ],
  })
})

it('any annotation gives usable settings', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,9}[hms]$/))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const settings = readTokenSettings({ [refresh]: one, [overlap]: other })
      expect(settings.refreshMs).toBeGreaterThanOrEqual(3_600_000)
      expect(settings.overlapMs).toBeGreaterThanOrEqual(3_600_000)
    }),
  )
})
