import { describe, expect, it } from 'vitest'
import { markdownProse } from './prose.ts'
import { bannedIn, habits, patternOf } from './rules.ts'

const glossary = `| Use | Meaning | Do not use |
| --- | --- | --- |
| repair, heal | Restore the desired state. | mend, mends |
| plan | Every change of an update. | – |
`

describe('the voice check', () => {
  it('reads forbidden words from the glossary', () => {
    expect(bannedIn(glossary)).toEqual([
      { phrase: 'mend', use: 'repair, heal' },
      { phrase: 'mends', use: 'repair, heal' },
    ])
  })

  it('matches whole words and phrases, in any case and over line ends', () => {
    const matches = (phrase: string, text: string): boolean =>
      patternOf({ phrase, use: '' }).test(text)
    expect(matches('mend', 'Mend the node')).toBe(true)
    expect(matches('mend', 'recommended')).toBe(false)
    expect(matches('look again', 'look\nagain')).toBe(true)
  })

  it('skips code in Markdown', () => {
    const page = 'A `told` word\n\n```sh\ntold\n```\n\nsee [told](told.md)\n'
    expect(markdownProse('a.md', page).map(({ line, text }) => [line, text])).toEqual([
      [1, 'A ` word'],
      [7, 'see [told]'],
    ])
  })

  it.each([
    ['tell, told', 'nodes are told'],
    ['say, said', 'as it says'],
    ['somebody, nobody, everybody', 'nobody knows'],
    ['sentence that begins with a headless "What"', 'What is not there is made.'],
  ])('counts %s', (name, text) => {
    const habit = habits.find((each) => each.name === name)!
    expect([...text.matchAll(habit.pattern)]).toHaveLength(1)
  })
})
