import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest } from './closest.ts'

const fields = ['maxPods', 'podsPerCore', 'podPidsLimit', 'evictionHard', 'evictionSoft', 'port']

describe('the name that was meant', () => {
  it.each([
    ['maxpods', 'maxPods'],
    ['MaxPods', 'maxPods'],
    ['maxPod', 'maxPods'],
    ['maxPodss', 'maxPods'],
    ['evictionHrad', 'evictionHard'],
    ['evictionHart', 'evictionHard'],
    ['prt', undefined],
    ['pork', 'port'],
    ['nothingLikeIt', undefined],
    ['', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('%.20s: %s', (name, meant) => {
    expect(closest(name, fields)).toBe(meant)
  })

  it('is the name itself where there is one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fields), (name) => {
        expect(closest(name, fields)).toBe(name)
      }),
    )
  })
})
