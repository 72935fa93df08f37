import type { Context } from 'liquidjs'
import { Liquid, LiquidError } from 'liquidjs'
import { InvalidInput } from '@machinist/core/errors'
import { filters, FilterProblem, outputText } from './filters.ts'

/** The location of a template text, for messages. */
export interface SourceLocation {
  readonly file: string
  /** The first line of the text in the file. */
  readonly line: number
}

/** An error in a template: `file:line:column: message`. Never contains values of variables, which may be secret. */
export class TemplateProblem extends InvalidInput {}

export interface CompiledTemplate {
  render(variables: object): string
}

/** The maximum output of one template; a whole rendered config has at most 1.5 MiB. */
const maxOutputLength = 1024 * 1024

/** Limits for time and memory; the limit of characters comes first, because it is the same on every machine. */
const limits = { renderLimit: 5000, memoryLimit: 10 * maxOutputLength }

const tags = new Set(
  '# assign break capture case comment continue echo for if liquid raw unless'.split(' '),
)

/** Deterministic filters only: no time, randomness or locale. */
const libraryFilters = new Set(
  (
    'append at_least at_most base64_decode base64_encode capitalize compact concat default divided_by downcase find ' +
    'first has join json last lstrip map minus modulo plus prepend reject remove replace replace_first reverse rstrip ' +
    'size slice sort split strip strip_newlines sum times uniq upcase url_encode where'
  ).split(' '),
)

/** All filters, for the documentation. */
export const filterNames: readonly string[] = [...libraryFilters, ...Object.keys(filters)].sort()
export const tagNames: readonly string[] = [...tags].sort()

const engine = createEngine()

/** Compiles a template. Only this file uses the library. */
export function compile(text: string, location: SourceLocation): CompiledTemplate {
  const parsed = withLocation(text, location, () => engine.parse(text))
  const globals = Object.values(engine.analyzeSync(parsed, { partials: false }).globals).flat()
  return {
    render: (variables) => {
      // In conditions a missing value is false, but an unknown variable is an error.
      const unknown = globals.find(({ segments }) => !Object.hasOwn(variables, String(segments[0])))
      if (unknown) {
        const { row, col } = unknown.location
        throw new TemplateProblem(
          `${formatLocation(location, row, col)}: there is no variable ${String(unknown.segments[0])}`,
        )
      }
      const rendered: unknown = withLocation(text, location, () =>
        engine.renderSync(parsed, variables, limits),
      )
      const output = String(rendered)
      if (output.length <= maxOutputLength) return output
      throw new TemplateProblem(
        `${location.file}: renders to more than ${maxOutputLength} characters, the maximum for one file`,
      )
    },
  }
}

function createEngine(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    jsTruthy: true,
    outputEscape: chargeOutput,
    // `{%- … -%}` on its own line removes only that line.
    greedy: false,
    // No includes: the tags for them are removed.
    templates: {},
    relativeReference: false,
    dynamicPartials: false,
    parseLimit: maxOutputLength,
  })
  for (const name of Object.keys(liquid.tags)) if (!tags.has(name)) delete liquid.tags[name]
  for (const name of Object.keys(liquid.filters)) {
    if (!libraryFilters.has(name)) liquid.unregisterFilter(name)
  }
  for (const [name, filter] of Object.entries(filters)) liquid.registerFilter(name, filter)
  return liquid
}

/** Counts output against the memory limit; the library counts only results of filters. */
function chargeOutput(this: { readonly context: Context }, value: unknown): string {
  const text = outputText(value)
  this.context.memoryLimit.use(text.length + 1)
  return text
}

function withLocation<T>(text: string, location: SourceLocation, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw problemOf(error, text, location)
  }
}

/** Without a cause, because errors of the library quote values. */
function problemOf(error: unknown, text: string, location: SourceLocation): TemplateProblem {
  const { file, line: firstLine } = location
  if (!LiquidError.is(error)) return new TemplateProblem(`${file}:${firstLine}: cannot be parsed`)
  // Some filters parse an argument as an expression; such an error has no position in the template.
  if (error.token.input !== text) {
    return new TemplateProblem(`${file}:${firstLine}: a filter has an invalid argument`)
  }
  const [line = 1, column = 1] = error.token.getPosition()
  return new TemplateProblem(`${formatLocation(location, line, column)}: ${describeError(error)}`)
}

function formatLocation(location: SourceLocation, line: number, column: number): string {
  return `${location.file}:${location.line + line - 1}:${column}`
}

function describeError(error: LiquidError): string {
  const { name, originalError, token } = error
  const source = shortened(token.getText())
  if (name === 'UndefinedVariableError') return `there is no variable ${source}`
  if (name === 'ParseError' || name === 'TokenizationError') {
    return shortened(error.message.replace(/, (?:file:.*, )?line:\d+, col:\d+$/, ''))
  }
  if (originalError instanceof FilterProblem) return `${originalError.message} in ${source}`
  if (originalError?.message.endsWith('limit exceeded')) {
    return `exceeds the limit for time or memory at ${source}`
  }
  return `cannot be rendered: ${source}`
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}
