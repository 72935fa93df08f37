import { isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../status/causes.ts'
import { compileError } from '../cel/texts.ts'
import { escapedName, withTypeMeta } from '../cel/values.ts'
import type { Expression, Selection } from '../cel/cel.ts'
import { compileExpression, ExpressionError } from '../cel/cel.ts'
import { quoted } from '../go/quoted-text.ts'
import { isFieldPath } from './structure/field-path.ts'
import { ruleVariables } from './rules.ts'
import type { StructuralSchema, ValidationRule } from './structure/structural-schema.ts'

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]

/** Validates the rules of one schema node. `uncorrelated` is the closest list whose items have no identity. */
export function checkRules(
  schema: StructuralSchema,
  path: string,
  uncorrelated: string | undefined,
): StatusCause[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  return rules.flatMap((rule, i) =>
    checkRule(schema, rule, `${path}.x-kubernetes-validations[${i}]`, uncorrelated),
  )
}

function checkRule(
  schema: StructuralSchema,
  rule: ValidationRule,
  path: string,
  uncorrelated: string | undefined,
): StatusCause[] {
  if (typeof rule.rule !== 'string' || rule.rule.trim() === '') {
    return [requiredValue(`${path}.rule`, 'rule is not specified')]
  }
  const root = /\.openAPIV3Schema\.x-kubernetes-validations\[\d+\]$/.test(path)
  const seen = root || schema['x-kubernetes-embedded-resource'] ? withTypeMeta(schema) : schema
  return [
    ...checkTexts(schema, rule, path),
    ...checkExpression(seen, rule, path, uncorrelated),
    ...checkMessage(seen, rule, path),
  ]
}

function checkExpression(
  schema: StructuralSchema,
  rule: ValidationRule,
  path: string,
  uncorrelated: string | undefined,
): StatusCause[] {
  const found: StatusCause[] = []
  const compiled = compile(schema, rule.rule, (why) => {
    found.push(invalidRule(rule, `${path}.rule`, `compilation failed: ${why}`))
  })
  if (!compiled) return found
  const type = typeIn(schema, compiled)
  if (type !== 'bool' && type !== 'dyn') {
    found.push(invalidRule(rule, `${path}.rule`, 'cel expression must evaluate to a bool'))
  }
  const usesOld = compiled.variables.has('oldSelf')
  if (usesOld && uncorrelated !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
    found.push(invalidValue(`${path}.rule`, rule.rule, why))
  }
  if (!usesOld && rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule'
    found.push(invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, why))
  }
  return found
}

function checkMessage(schema: StructuralSchema, rule: ValidationRule, path: string): StatusCause[] {
  const { messageExpression = '' } = rule
  if (messageExpression === '') return []
  const found: StatusCause[] = []
  const field = `${path}.messageExpression`
  const message = compile(schema, messageExpression, (why) => {
    found.push(invalidRule(rule, field, `messageExpression compilation failed: ${why}`))
  })
  const type = message ? typeIn(schema, message) : 'dyn'
  if (type !== 'string' && type !== 'dyn') {
    found.push(invalidRule(rule, field, 'messageExpression must evaluate to a string'))
  }
  return found
}

function invalidRule(rule: ValidationRule, field: string, why: string): StatusCause {
  const message = `Invalid value: ${ruleText(rule)}: ${why}`
  return { reason: 'FieldValueInvalid', message, field }
}

function checkTexts(schema: StructuralSchema, rule: ValidationRule, path: string): StatusCause[] {
  const { message, reason, fieldPath } = rule
  const found: StatusCause[] = []
  const blank = message !== undefined && message !== '' && message.trim() === ''
  if (blank) {
    found.push(invalidValue(`${path}.message`, message, 'message must be non-empty if specified'))
  } else if (message?.trim().includes('\n')) {
    found.push(invalidValue(`${path}.message`, message, 'message must not contain line breaks'))
  } else if (rule.rule.trim().includes('\n') && !message && !rule.messageExpression) {
    const why = 'message must be specified if rule contains line breaks'
    found.push(requiredValue(`${path}.message`, why))
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    found.push(unsupportedValue(`${path}.reason`, reason, reasons))
  }
  if (fieldPath !== undefined && fieldPath !== '' && !isFieldPath(schema, fieldPath)) {
    const why = 'fieldPath must be a valid path'
    found.push(invalidValue(`${path}.fieldPath`, fieldPath, why))
  }
  return found
}

/** Compiles the expression and checks that its fields exist. */
function compile(
  schema: StructuralSchema,
  text: string,
  report: (why: string) => void,
): Expression | undefined {
  try {
    const expression = compileExpression(text, ruleVariables)
    for (const selection of expression.selections) {
      if (selected(schema, selection) !== 'nothing') continue
      const name = selection.fields.at(-1)!
      report(compileError(text, `undefined field '${name}'`, selection.at))
      return undefined
    }
    return expression
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    report(error.message)
    return undefined
  }
}

/** The schema that a selection leads to; `unknown` if it leaves the schema, `nothing` if the field does not exist. */
function selected(schema: StructuralSchema, { variable, fields }: Selection): Found {
  if (variable !== 'self') return 'unknown'
  let at = schema
  for (const field of fields) {
    if (at['x-kubernetes-embedded-resource']) at = withTypeMeta(at)
    const { properties = {}, additionalProperties, type } = at
    if (additionalProperties !== undefined) {
      if (!isObject(additionalProperties)) return 'unknown'
      at = additionalProperties
      continue
    }
    if (type !== 'object') return 'unknown'
    const key = Object.keys(properties).find((name) => escapedName(name) === field)
    if (key === undefined) return 'nothing'
    at = properties[key]!
  }
  return at
}

type Found = StructuralSchema | 'unknown' | 'nothing'

/** The type of an expression; for a field, derived from the schema. */
function typeIn(schema: StructuralSchema, { type, selection, text }: Expression): string {
  if (type !== 'dyn') return type
  const at = text.trim() === 'self' ? schema : selection ? selected(schema, selection) : 'unknown'
  if (typeof at === 'string' || at.type === undefined) return 'dyn'
  return at.type === 'boolean' ? 'bool' : at.type
}

/** A rule as Go prints the struct. */
function ruleText(rule: ValidationRule): string {
  const { message = '', messageExpression = '', fieldPath = '', reason, optionalOldSelf } = rule
  const pointer = (given: unknown, type: string): string =>
    given === undefined ? `(*${type})(nil)` : `(*${type})(0x0)`
  const fields = [
    `Rule:${quoted(rule.rule)}`,
    `Message:${quoted(message)}`,
    `MessageExpression:${quoted(messageExpression)}`,
    `Reason:${pointer(reason, 'apiextensions.FieldValueErrorReason')}`,
    `FieldPath:${quoted(fieldPath)}`,
    `OptionalOldSelf:${pointer(optionalOldSelf, 'bool')}`,
  ]
  return `apiextensions.ValidationRule{${fields.join(', ')}}`
}
