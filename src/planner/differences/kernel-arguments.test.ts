import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planned } from '../configs.fixture.ts'
import { kernelArgumentChange, kernelWords, runningArguments } from './kernel-arguments.ts'

const words = (entries: readonly string[] | undefined): string[] =>
  (entries ?? []).flatMap(kernelWords)

/** Entries, with the words that MCO deletes and appends and those that Machinist removes and adds. */
const cases: readonly {
  readonly before?: string[]
  readonly after?: string[]
  readonly deletes: string[]
  readonly appends: string[]
  readonly remove: string[]
  readonly add: string[]
}[] = [
  {
    after: ['hello=world'],
    deletes: [],
    appends: ['hello=world'],
    remove: [],
    add: ['hello=world'],
  },
  {
    before: ['hello=world'],
    deletes: ['hello=world'],
    appends: [],
    remove: ['hello=world'],
    add: [],
  },
  {
    before: ['foo', 'bar=1', 'hello=world'],
    after: ['hello=world'],
    deletes: ['foo', 'bar=1', 'hello=world'],
    appends: ['hello=world'],
    remove: ['foo', 'bar=1'],
    add: [],
  },
  {
    before: ['foo', 'bar=1 hello=world', 'baz'],
    after: ['foo', 'bar=1', 'hello=world'],
    deletes: ['foo', 'bar=1', 'hello=world', 'baz'],
    appends: ['foo', 'bar=1', 'hello=world'],
    remove: ['baz'],
    add: [],
  },
  {
    before: [' baz=test bar="hello world"'],
    after: [' baz=test bar="hello world"', 'foo'],
    deletes: ['baz=test', 'bar="hello world"'],
    appends: ['baz=test', 'bar="hello world"', 'foo'],
    remove: [],
    add: ['foo'],
  },
  {
    before: ['hugepagesz=1G hugepages=4', 'hugepagesz=2M hugepages=4'],
    after: ['hugepagesz=1G hugepages=4', 'hugepagesz=2M hugepages=6'],
    deletes: ['hugepagesz=1G', 'hugepages=4', 'hugepagesz=2M', 'hugepages=4'],
    appends: ['hugepagesz=1G', 'hugepages=4', 'hugepagesz=2M', 'hugepages=6'],
    // It is not defined which of the two equal words a removal affects.
    remove: ['hugepages=4', 'hugepagesz=2M', 'hugepages=4'],
    add: ['hugepages=4', 'hugepagesz=2M', 'hugepages=6'],
  },
]

describe('kernel arguments', () => {
  it.each(cases)('from $before to $after', ({ before, after, deletes, appends, remove, add }) => {
    expect(words(before)).toEqual(deletes)
    expect(words(after)).toEqual(appends)
    expect(kernelArgumentChange(words(before), words(after))).toEqual({ remove, add })
  })

  it('are words, independent of the entries', () => {
    const made = planned({ kernelArguments: ['a b', 'c'] }, { kernelArguments: [' a', 'b\tc '] })
    expect(made.changes).toEqual([])
  })

  it('keep quotes, including unclosed ones', () => {
    expect(kernelWords('a="b c"d "e f')).toEqual(['a="b c"d', '"e f'])
  })

  it.each([
    ['quiet a=0 b=1', ['a=0', 'b=1'], undefined],
    ['quiet a=0 b=1', ['a=0 b=1'], undefined],
    ['quiet a=0 b=1', ['b=1', 'a=0'], { remove: ['a=0'], add: ['a=0'] }],
    ['quiet a=0 b=1', ['a=0', 'b=1', 'a=0'], { remove: [], add: ['a=0'] }],
    [
      'quiet a=0 a=0 b=1',
      ['a=0', 'b=1', 'a=0'],
      { remove: ['a=0', 'a=0', 'b=1'], add: ['a=0', 'b=1', 'a=0'] },
    ],
    ['quiet a=0 b=1 a=0', ['a=0', 'b=1', 'a=0'], undefined],
  ])('that run: %s, desired: %j', (line, desired, change) => {
    const running = runningArguments(line.split(' '), desired)
    expect(kernelArgumentChange(running, words(desired))).toEqual(change)
  })

  it('of a running machine may be quoted', () => {
    const line = ['quiet', 'a="b c"', 'd']
    expect(runningArguments(line, ['a="b c" d'])).toEqual(['a="b c"', 'd'])
    expect(runningArguments(line, ['e'])).toEqual([])
  })

  it('in another order differ', () => {
    expect(kernelArgumentChange(['a', 'b'], ['b', 'a'])).toEqual({ remove: ['a'], add: ['a'] })
  })

  it('appear in the step and the summary', () => {
    const made = planned({ kernelArguments: ['a', 'b=1'] }, { kernelArguments: ['b=1', 'c'] })
    expect(made.changes).toEqual([
      {
        kind: 'kernelArguments',
        change: 'changed',
        summary:
          'kernel arguments change: add c; remove a; requires a reboot (kernel arguments take effect at boot).',
        from: 'new',
      },
    ])
    expect(made.steps).toContainEqual({
      do: 'change-os',
      kernelArguments: { remove: ['a'], add: ['c'] },
    })
  })

  it('end with the new list, and change no more than MCO does', () => {
    const list = fc.array(fc.constantFrom<string[]>('a', 'b', 'c', 'd=1', 'd=2'), { maxLength: 7 })
    fc.assert(
      fc.property(list, list, fc.constantFrom(true, false), (before, after, fromTheEnd) => {
        const change = kernelArgumentChange(before, after)
        const line = [...before]
        for (const word of change?.remove ?? []) {
          // Drivers differ in which of two equal words they remove; the result must be the same.
          const at = fromTheEnd ? line.lastIndexOf(word) : line.indexOf(word)
          expect(at).not.toBe(-1)
          line.splice(at, 1)
        }
        expect([...line, ...(change?.add ?? [])]).toEqual(after)
        expect((change?.remove ?? []).length).toBeLessThanOrEqual(before.length)
      }),
      { numRuns: 500 },
    )
  })

  it('are compared in linear time', () => {
    const chain = (length: number): string[] =>
      Array.from({ length }, (_, i) => [`w${i}`, `w${i + 2}`]).flat()
    const change = kernelArgumentChange(chain(50_000), chain(49_999))
    expect(change!.remove.length).toBeGreaterThan(0)
    expect(kernelWords('a'.repeat(1_000_000))).toHaveLength(1)
    expect(kernelWords('"a" '.repeat(100_000))).toHaveLength(100_000)
  })
})
