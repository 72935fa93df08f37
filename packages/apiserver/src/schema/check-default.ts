import type { StatusCause } from '../status/status-error.ts'
import { invalidValue } from '../status/causes.ts'
import { ExpressionError } from '../cel/cel.ts'
import { fillDefaults } from './default.ts'
import { prune } from './prune.ts'
import { compileRules, ruleProblems } from './rules.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'
import { schemaProblems } from './validate.ts'

/** A default must be valid for its field, after nested defaults. */
export function checkDefault(schema: StructuralSchema, path: string): StatusCause[] {
  const given = schema.default
  if (given === undefined || given === null) return []
  const field = `${path}.default`
  const around: StructuralSchema = { type: 'object', properties: { value: schema } }
  const { object, unknown } = prune(around, { value: given })
  if (unknown.length > 0) return [invalidValue(field, given, 'must not have unknown fields')]
  const { value } = fillDefaults(around, object)
  const found = problemsOf(around, schema, value)
  return found.map(({ reason, message, field: at }) => {
    return { reason: reason!, message: message!, field: within(field, at) }
  })
}

/** Invalid patterns and rules are reported elsewhere. */
function problemsOf(
  around: StructuralSchema,
  schema: StructuralSchema,
  value: unknown,
): StatusCause[] {
  try {
    const wrong = schemaProblems(schema, value, undefined, { path: '', prefix: '' })
    if (wrong.length > 0) return wrong
    const rules = compileRules(around)
    return rules ? ruleProblems(rules, { value }, undefined) : []
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof SyntaxError) return []
    throw error
  }
}

function within(field: string, path = ''): string {
  const rest = path === '<nil>' ? '' : path.replace(/^value(?=$|[.[])/, '')
  return rest === '' || rest.startsWith('.') || rest.startsWith('[')
    ? `${field}${rest}`
    : `${field}.${rest}`
}
