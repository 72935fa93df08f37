import type { Context } from 'liquidjs'
import { Liquid, LiquidError } from 'liquidjs'
import { InvalidInput } from '@machinist/core/errors'
import { filters, FilterProblem, written } from './filters.ts'

/** Where a piece of template text stands, for messages. */
export interface Place {
  readonly file: string
  /** The line of the file that the text begins in. */
  readonly line: number
}

/** What is wrong with a template: `file:line:column: what`. Never says what a variable holds, which may be a secret. */
export class TemplateProblem extends InvalidInput {}

export interface Program {
  render(variables: object): string
}

/** The longest text that one template may come to; a whole rendered configuration has 1.5 MiB. */
const longestOutput = 1024 * 1024

/** Against templates that never end or take all memory: characters first, which are the same on every machine. */
const limits = { renderLimit: 5000, memoryLimit: 10 * longestOutput }

const tags = new Set(
  '# assign break capture case comment continue echo for if liquid raw unless'.split(' '),
)

/** Neither time, chance nor language of the machine: the same variables always give the same text. */
const libraryFilters = new Set(
  (
    'append at_least at_most base64_decode base64_encode capitalize compact concat default divided_by downcase find ' +
    'first has join json last lstrip map minus modulo plus prepend reject remove replace replace_first reverse rstrip ' +
    'size slice sort split strip strip_newlines sum times uniq upcase url_encode where'
  ).split(' '),
)

/** The names of all filters, for the documentation. */
export const filterNames: readonly string[] = [...libraryFilters, ...Object.keys(filters)].sort()
export const tagNames: readonly string[] = [...tags].sort()

const engine = makeEngine()

/** Reads a template. The only place that knows the library. */
export function compile(text: string, place: Place): Program {
  const parsed = tellingWhere(text, place, () => engine.parse(text))
  const wanted = Object.values(engine.analyzeSync(parsed, { partials: false }).globals).flat()
  return {
    render: (variables) => {
      // A condition takes what is not there for false; a name that is never there is a slip.
      const unknown = wanted.find(({ segments }) => !Object.hasOwn(variables, String(segments[0])))
      if (unknown) {
        const { row, col } = unknown.location
        throw new TemplateProblem(
          `${whereOf(place, row, col)}: there is no variable ${String(unknown.segments[0])}`,
        )
      }
      const rendered: unknown = tellingWhere(text, place, () =>
        engine.renderSync(parsed, variables, limits),
      )
      const output = String(rendered)
      if (output.length <= longestOutput) return output
      throw new TemplateProblem(
        `${place.file}: comes to more than ${longestOutput} characters, which is too much for one file`,
      )
    },
  }
}

function makeEngine(): Liquid {
  const made = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    jsTruthy: true,
    outputEscape: charged,
    // `{%- … -%}` on a line of its own takes away just that line.
    greedy: false,
    // There are no files to include; without the tags nobody asks for them.
    templates: {},
    relativeReference: false,
    dynamicPartials: false,
    parseLimit: longestOutput,
  })
  for (const name of Object.keys(made.tags)) if (!tags.has(name)) delete made.tags[name]
  for (const name of Object.keys(made.filters)) {
    if (!libraryFilters.has(name)) made.unregisterFilter(name)
  }
  for (const [name, filter] of Object.entries(filters)) made.registerFilter(name, filter)
  return made
}

/** Text that goes into the output counts as memory; the library counts only what filters make. */
function charged(this: { readonly context: Context }, value: unknown): string {
  const text = written(value)
  this.context.memoryLimit.use(text.length + 1)
  return text
}

function tellingWhere<T>(text: string, place: Place, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw problemOf(error, text, place)
  }
}

/** The cause is left out on purpose: the library's errors quote what they were about. */
function problemOf(error: unknown, text: string, place: Place): TemplateProblem {
  const { file, line: firstLine } = place
  if (!LiquidError.is(error)) return new TemplateProblem(`${file}:${firstLine}: cannot be read`)
  // Some filters read an argument as an expression; what they complain about then is no text of the template.
  if (error.token.input !== text) {
    return new TemplateProblem(
      `${file}:${firstLine}: a filter was given an argument that it cannot use`,
    )
  }
  const [line = 1, column = 1] = error.token.getPosition()
  return new TemplateProblem(`${whereOf(place, line, column)}: ${whatOf(error)}`)
}

function whereOf(place: Place, line: number, column: number): string {
  return `${place.file}:${place.line + line - 1}:${column}`
}

function whatOf(error: LiquidError): string {
  const { name, originalError, token } = error
  const source = shortened(token.getText())
  if (name === 'UndefinedVariableError') return `there is no variable ${source}`
  if (name === 'ParseError' || name === 'TokenizationError') {
    return shortened(error.message.replace(/, (?:file:.*, )?line:\d+, col:\d+$/, ''))
  }
  if (originalError instanceof FilterProblem) return `${originalError.message} in ${source}`
  if (originalError?.message.endsWith('limit exceeded')) {
    return `takes too much time or memory at ${source}`
  }
  return `cannot be rendered: ${source}`
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}
