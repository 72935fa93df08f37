import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closestName } from './closest-name.ts'

const fields = ['maxPods', 'podsPerCore', 'podPidsLimit', 'evictionHard', 'evictionSoft', 'port']

describe('the closest name', () => {
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
    expect(closestName(name, fields)).toBe(meant)
  })

  it('is the name itself if it is known', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fields), (name) => {
        expect(closestName(name, fields)).toBe(name)
      }),
    )
  })
})
