import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import { parseYaml } from '@machinist/core/yaml'
import { TemplateProblem } from './liquid.ts'
import type { Target } from './template-path.ts'

/** What stands before the text of a template, between two lines of `---`. All of it may be left out. */
export interface Header {
  /** A condition: if it does not hold, the template is as good as not there. */
  readonly when?: string
  /** The line of the file that `when` is in. */
  readonly whenLine: number
  /** What the templates before it say about the same file, unit, drop-in or extension is taken away. */
  readonly remove: boolean
  /** Of a file; 0644 unless said. */
  readonly mode: number
  readonly user?: string
  readonly group?: string
  /** Of a unit. */
  readonly enabled?: boolean
  readonly mask?: boolean
}

export interface SplitTemplate {
  readonly header: Header
  readonly body: string
  /** The line of the file that the body begins in. */
  readonly bodyLine: number
}

const fieldsOf: Readonly<Record<Target['type'], readonly string[]>> = {
  file: ['when', 'remove', 'mode', 'user', 'group'],
  unit: ['when', 'remove', 'enabled', 'mask'],
  dropin: ['when', 'remove'],
  extension: ['when', 'remove'],
}

export function splitTemplate(text: string, file: string, type: Target['type']): SplitTemplate {
  const lines = text.split('\n')
  if (lines[0] !== '---') return { header: headerOf({}), body: text, bodyLine: 1 }
  const end = lines.indexOf('---', 1)
  if (end < 0) {
    throw new TemplateProblem(`${file}:1: the header has no end: a second line of --- is missing`)
  }
  const header = lines.slice(1, end)
  const lineOf = (key: string): number =>
    Math.max(2, header.findIndex((line) => line.startsWith(`${key}:`)) + 2)
  const fields = parsedHeader(header.join('\n'), file)
  for (const key of Object.keys(fields)) {
    const problem = fieldProblem(key, fields[key], type)
    if (problem !== undefined) throw new TemplateProblem(`${file}:${lineOf(key)}: ${problem}`)
  }
  return {
    header: { ...headerOf(fields), whenLine: lineOf('when') },
    body: lines.slice(end + 1).join('\n'),
    bodyLine: end + 2,
  }
}

function parsedHeader(text: string, file: string): Record<string, unknown> {
  try {
    const value = parseYaml(text, `${file}: header`) ?? {}
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new TemplateProblem(inFile(error.message, file), { cause: error })
  }
  throw new TemplateProblem(`${file}:2: the header has to be a list of "name: value" lines`)
}

/** YAML counts from the first line of the header, which is the second of the file. */
function inFile(message: string, file: string): string {
  const found = / at line (\d+), column (\d+)$/.exec(message)
  if (!found) return message
  const what = message.slice(`${file}: header: `.length, found.index)
  return `${file}:${Number(found[1]) + 1}:${found[2]}: header: ${what}`
}

function headerOf(fields: Record<string, unknown>): Header {
  const { remove = false, mode = 0o644, ...others } = fields as Partial<Header>
  return { ...others, remove, mode, whenLine: 0 }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isMode = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0o777

const expected: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>> = {
  when: ['a condition as text', isText],
  remove: ['true or false', isBoolean],
  mode: ['a number like 0644, at most 0777', isMode],
  user: ['the name of a user', isText],
  group: ['the name of a group', isText],
  enabled: ['true or false', isBoolean],
  mask: ['true or false', isBoolean],
}

function fieldProblem(key: string, value: unknown, type: Target['type']): string | undefined {
  const known = fieldsOf[type]
  if (!known.includes(key)) {
    return `there is no ${key} in the header of a ${type}; known are ${known.join(', ')}`
  }
  const [what, fits] = expected[key]!
  return fits(value) ? undefined : `${key} has to be ${what}`
}
