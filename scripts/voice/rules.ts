/** A habit of speech, and how often it may occur in 10,000 words of comments or of docs. */
export interface Habit {
  readonly name: string
  readonly pattern: RegExp
  readonly most: number
}

export const habits: readonly Habit[] = [
  { name: 'tell, told', pattern: /\b(?:tell|tells|telling|told)\b/gi, most: 3 },
  { name: 'say, said', pattern: /\b(?:say|says|saying|said)\b/gi, most: 5 },
  { name: 'somebody, nobody, everybody', pattern: /\b(?:some|no|every|any)body\b/gi, most: 3 },
  {
    name: 'sentence that begins with a headless "What"',
    pattern:
      /(?:^|[.:;!?]\s+|\|\s*|- )What (?:is|was|are|were|it|they|we|has|had|can|may|must|nobody|somebody|a|the|others?)\b/g,
    most: 10,
  },
]

/** One row of docs/glossary.md: words and phrases that are not used, and the term to use instead. */
export interface Banned {
  readonly phrase: string
  readonly use: string
}

/** The rows of the glossary: `| term | meaning | do not use |`. */
export function bannedIn(glossary: string): Banned[] {
  return glossary.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    if (cells.length !== 5 || /^(-|Use$)/.test(cells[1]!)) return []
    const [, use, , not] = cells
    return not!
      .split(',')
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== '' && phrase !== '–')
      .map((phrase) => ({ phrase, use: use! }))
  })
}

export const patternOf = ({ phrase }: Banned): RegExp =>
  new RegExp(`\\b${phrase.replaceAll(' ', '\\s+')}\\b`, 'gi')
