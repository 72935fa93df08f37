import { memberOf } from './members.ts'
import type { StructuralSchema } from './structural-schema.ts'

/** One step of a rule's fieldPath: `.name`, or `['key']` of a map. */
interface Step {
  readonly key: string
  readonly bracketed: boolean
}

/** The field of a cause: the path of the rule, extended by its fieldPath. */
export function fieldOf(path: string, fieldPath = ''): string {
  const steps = stepsOf(fieldPath) ?? []
  return steps.reduce(
    (at, { key, bracketed }) => (bracketed ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`),
    path,
  )
}

/** Whether a fieldPath exists in the schema. */
export function isFieldPath(schema: StructuralSchema, fieldPath: string): boolean {
  const steps = stepsOf(fieldPath)
  if (!steps || steps.length === 0) return false
  let at = schema
  for (const { key } of steps) {
    const member = memberOf(at, key)
    if (!member) return false
    at = member.schema
  }
  return true
}

function stepsOf(fieldPath: string): Step[] | undefined {
  const step = /\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]/y
  const steps: Step[] = []
  while (step.lastIndex < fieldPath.length) {
    const found = step.exec(fieldPath)
    if (!found) return undefined
    const [, name, key = ''] = found
    if (name === undefined) steps.push({ key: key.replaceAll(/\\(.)/g, '$1'), bracketed: true })
    else steps.push({ key: name, bracketed: false })
  }
  return steps
}
