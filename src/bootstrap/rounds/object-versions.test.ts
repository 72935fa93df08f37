import { expect, it } from 'vitest'
import { changedObjects } from './object-versions.ts'

it('changed objects are those that were created, changed or deleted', () => {
  const before = new Map([
    ['Pool a', '1'],
    ['Pool b', '1'],
    ['Pool c', '1'],
  ])
  const after = new Map([
    ['Pool d', '9'],
    ['Pool b', '2'],
    ['Pool a', '1'],
  ])
  expect(changedObjects(before, after)).toEqual(['Pool b', 'Pool c', 'Pool d'])
  expect(changedObjects(after, after)).toEqual([])
})
