import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { messageOf } from '@machinist/core/errors'

/** An RE2 pattern: matching takes linear time, so that a client's pattern cannot block the server. */
export interface Pattern {
  /** Matches anywhere in the text. */
  test(text: string): boolean
  /** The first match. */
  find(text: string): string | undefined
  /** All matches, except empty ones directly after another match. */
  findAll(text: string): string[]
}

/** Throws a SyntaxError with Go's message for an invalid pattern. */
export function compilePattern(pattern: string): Pattern {
  const known = compiled.get(pattern)
  if (known) return known
  const made = compile(pattern)
  if (compiled.size >= most) compiled.clear()
  compiled.set(pattern, made)
  return made
}

/** Go's error for an invalid pattern; undefined for a valid one. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

const compiled = new Map<string, Pattern>()
const most = 1000

type Engine = typeof Re2
let engine: Engine | undefined

/** Loaded on first use, to speed up the start. */
function load(): Engine {
  engine ??= createRequire(import.meta.url)('re2js') as Engine
  return engine
}

function compile(pattern: string): Pattern {
  const program = parse(load(), pattern)
  function* matches(text: string): Generator<string> {
    const matcher = program.matcher(text)
    for (let end = -1; matcher.find(); end = matcher.end()) {
      const found = matcher.group() ?? ''
      if (found !== '' || matcher.start() !== end) yield found
    }
  }
  return {
    test: (text) => program.test(text),
    find: (text) => matches(text).next().value as string | undefined,
    findAll: (text) => [...matches(text)],
  }
}

function parse({ RE2JS }: Engine, pattern: string): InstanceType<Engine['RE2JS']> {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const why = messageOf(error)
    // Go always shows the position: the end of the pattern, or all of it by default.
    const place = why.includes('trailing backslash') ? '' : pattern
    throw new SyntaxError(why.endsWith('`') ? why : `${why}: \`${place}\``, { cause: error })
  }
}
