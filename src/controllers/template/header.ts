import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { TemplateProblem } from './liquid/liquid.ts'
import type { TemplateTarget } from './template-path.ts'

/** The header of a template, between two lines of `---`. All fields are optional. */
export interface TemplateHeader {
  /** A condition: if it is false, the template is ignored. */
  readonly when?: string
  /** The line of `when` in the file. */
  readonly whenLine: number
  /** Removes the file, unit, drop-in or extension of earlier templates. */
  readonly remove: boolean
  /** Of a file; 0644 by default. */
  readonly mode: number
  readonly user?: string
  readonly group?: string
  /** Of a unit. */
  readonly enabled?: boolean
  readonly mask?: boolean
}

export interface SplitTemplate {
  readonly header: TemplateHeader
  readonly body: string
  /** The first line of the body in the file. */
  readonly bodyLine: number
}

const headerFields: Readonly<Record<TemplateTarget['type'], readonly string[]>> = {
  file: ['when', 'remove', 'mode', 'user', 'group'],
  unit: ['when', 'remove', 'enabled', 'mask'],
  dropin: ['when', 'remove'],
  extension: ['when', 'remove'],
}

export function splitTemplate(
  text: string,
  file: string,
  type: TemplateTarget['type'],
): SplitTemplate {
  const lines = text.split('\n')
  if (lines[0] !== '---') return { header: headerOf({}), body: text, bodyLine: 1 }
  const end = lines.indexOf('---', 1)
  if (end < 0) {
    throw new TemplateProblem(`${file}:1: the header has no end: add a second line of ---`)
  }
  const header = lines.slice(1, end)
  const lineOf = (key: string): number =>
    Math.max(2, header.findIndex((line) => line.startsWith(`${key}:`)) + 2)
  const fields = parseHeader(header.join('\n'), file)
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

function parseHeader(text: string, file: string): Record<string, unknown> {
  try {
    const value = parseYaml(text, `${file}: header`) ?? {}
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new TemplateProblem(inFile(error.message, file), { cause: error })
  }
  throw new TemplateProblem(`${file}:2: the header must be a list of "name: value" lines`)
}

/** YAML counts lines from the start of the header, which is the second line of the file. */
function inFile(message: string, file: string): string {
  const found = / at line (\d+), column (\d+)$/.exec(message)
  if (!found) return message
  const detail = message.slice(`${file}: header: `.length, found.index)
  return `${file}:${Number(found[1]) + 1}:${found[2]}: header: ${detail}`
}

function headerOf(fields: Record<string, unknown>): TemplateHeader {
  const { remove = false, mode = 0o644, ...others } = fields as Partial<TemplateHeader>
  return { ...others, remove, mode, whenLine: 0 }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isMode = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0o777

const fieldRules: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>> = {
  when: ['a condition as a string', isText],
  remove: ['true or false', isBoolean],
  mode: ['a number like 0644, at most 0777', isMode],
  user: ['the name of a user', isText],
  group: ['the name of a group', isText],
  enabled: ['true or false', isBoolean],
  mask: ['true or false', isBoolean],
}

function fieldProblem(
  key: string,
  value: unknown,
  type: TemplateTarget['type'],
): string | undefined {
  const known = headerFields[type]
  if (!known.includes(key)) {
    return `unknown field ${key} in the header of a ${type}; known fields are ${known.join(', ')}`
  }
  const [expected, isValid] = fieldRules[key]!
  return isValid(value) ? undefined : `${key} must be ${expected}`
}
