import { expect, it } from 'vitest'
import { Waiting } from '@machinist/core/errors'
import { isReportable } from './reportable.ts'

const pass = { key: 'a', facts: 1, plan: 2 }
const acted = { ...pass, type: 'acted', result: undefined } as const
const failed = (failure: unknown) => ({ ...pass, type: 'failed', failure }) as const

it('a pass is reported with and without problems', () => {
  expect(isReportable(acted, [])).toBe(true)
  expect(isReportable(acted, ['a problem'])).toBe(true)
})

it('a pass with a failed write is reported only if there are problems', () => {
  const failure = new Error('500')
  expect(isReportable(failed(failure), [])).toBe(false)
  expect(isReportable(failed(failure), ['a problem'])).toBe(true)
})

it('a pass in which an object changed is not reported', () => {
  const changed = new Waiting('ObjectChanged', 'it was changed concurrently', 1000)
  expect(isReportable(failed(changed), ['a problem'])).toBe(false)
})
