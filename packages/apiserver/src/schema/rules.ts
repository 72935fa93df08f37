import { isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { duplicateValue, forbidden, invalidValue, requiredValue } from '../status/causes.ts'
import type { Budget } from '../cel/budget.ts'
import { newBudget, outOfBudget } from '../cel/budget.ts'
import { escapedName, typedValue, withTypeMeta } from '../cel/values.ts'
import type { Expression } from '../cel/cel.ts'
import { compileExpression, ExpressionError, optional } from '../cel/cel.ts'
import { fieldOf } from './structure/field-path.ts'
import { memberOf, memberPath } from './structure/members.ts'
import { oldItems, oldMember, unchanged } from './ratchet.ts'
import type { StructuralSchema, ValidationRule } from './structure/structural-schema.ts'

/** The compiled rules, in the structure of the schema; branches without rules are omitted. */
export interface RuleTree {
  readonly schema: StructuralSchema
  readonly rules: readonly CompiledRule[]
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly others?: RuleTree
  readonly items?: RuleTree
}

interface CompiledRule {
  readonly source: ValidationRule
  readonly expression: Expression
  readonly message?: Expression
  /** Uses oldSelf: evaluated only for updates. */
  readonly transition: boolean
}

/** Undefined if the schema has no rules. Throws ExpressionError: validate the schema first. */
export function compileRules(schema: StructuralSchema): RuleTree | undefined {
  const properties = new Map<string, RuleTree>()
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    const tree = compileRules(member)
    if (tree) properties.set(key, tree)
  }
  const { additionalProperties } = schema
  const others = isObject(additionalProperties) ? compileRules(additionalProperties) : undefined
  const items = schema.items ? compileRules(schema.items) : undefined
  const rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(rule))
  if (rules.length === 0 && properties.size === 0 && !others && !items) return undefined
  return { schema, rules, properties, ...(others && { others }), ...(items && { items }) }
}

/** All rules that the object violates. */
export function ruleProblems(
  tree: RuleTree,
  object: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>> | undefined,
  budget: Budget = newBudget(),
): StatusCause[] {
  const schema = withTypeMeta(tree.schema)
  const self = typedValue(schema, object)
  const oldSelf = old === undefined ? undefined : typedValue(schema, old)
  return walk(tree, { value: object, self, old, oldSelf, path: '' }, budget)
}

/** Variables of rules and messages. */
export const ruleVariables: readonly string[] = ['self', 'oldSelf']

/** A node of the object: as JSON and as CEL value, new and old. */
interface Spot {
  readonly value: unknown
  readonly self: unknown
  readonly old: unknown
  readonly oldSelf: unknown
  readonly path: string
}

function compileRule(source: ValidationRule): CompiledRule {
  if (typeof source.rule !== 'string') throw new ExpressionError('rule is not specified')
  const expression = compileExpression(source.rule, ruleVariables)
  const { messageExpression } = source
  return {
    source,
    expression,
    transition: expression.variables.has('oldSelf'),
    ...(messageExpression !== undefined &&
      messageExpression !== '' && {
        message: compileExpression(messageExpression, ruleVariables),
      }),
  }
}

function walk(tree: RuleTree, spot: Spot, budget: Budget): StatusCause[] {
  if (spot.value === null || spot.value === undefined) return []
  const own = tree.rules.flatMap((rule) => broken(rule, tree.schema, spot, budget))
  if (Array.isArray(spot.value)) return [...own, ...walkItems(tree, spot.value, spot, budget)]
  return isObject(spot.value) ? [...own, ...walkMembers(tree, spot.value, spot, budget)] : own
}

function walkItems(
  tree: RuleTree,
  value: readonly unknown[],
  spot: Spot,
  budget: Budget,
): StatusCause[] {
  const { items, schema } = tree
  if (!items) return []
  const before = oldItems(schema, value, spot.old)
  return value.flatMap((item, i) => {
    const was = before(i)
    const next: Spot = {
      value: item,
      self: at(spot.self, i),
      old: was?.item,
      oldSelf: was && at(spot.oldSelf, was.index),
      path: `${spot.path}[${i}]`,
    }
    return walk(items, next, budget)
  })
}

function walkMembers(
  tree: RuleTree,
  value: Readonly<Record<string, unknown>>,
  spot: Spot,
  budget: Budget,
): StatusCause[] {
  return Object.keys(value).flatMap((key) => {
    const { named } = memberOf(tree.schema, key) ?? { named: false }
    const member = named ? tree.properties.get(key) : tree.others
    if (!member) return []
    const name = named ? (escapedName(key) ?? key) : key
    const next: Spot = {
      value: value[key],
      self: at(spot.self, name),
      old: oldMember(spot.old, key),
      oldSelf: at(spot.oldSelf, name),
      path: memberPath(spot.path, key, named),
    }
    return walk(member, next, budget)
  })
}

function broken(
  rule: CompiledRule,
  schema: StructuralSchema,
  spot: Spot,
  budget: Budget,
): StatusCause[] {
  const { source, expression, transition } = rule
  if (budget.steps < 0 || !isEvaluated(rule, spot)) return []
  const oldSelf = source.optionalOldSelf === true ? optional(spot.oldSelf) : spot.oldSelf
  const context = { self: spot.self, ...(transition && { oldSelf }) }
  try {
    if (expression.evaluate(context, budget) === true) return []
  } catch (error) {
    return [failed(source, schema, spot, error)]
  }
  const message = messageOf(rule, context, budget)
  const field = fieldOf(spot.path, source.fieldPath)
  return [ruleCause(source.reason, field, schema.type ?? '', message)]
}

/** Transition rules need an old value; other rules skip unchanged values. */
function isEvaluated({ transition, source }: CompiledRule, { value, old, oldSelf }: Spot): boolean {
  if (transition) return oldSelf !== undefined || source.optionalOldSelf === true
  return !unchanged(value, old)
}

function ruleCause(
  reason: string | undefined,
  field: string,
  is: string,
  message: string,
): StatusCause {
  if (reason === 'FieldValueForbidden') return forbidden(field, message)
  if (reason === 'FieldValueRequired') return requiredValue(field, message)
  if (reason === 'FieldValueDuplicate') return duplicateValue(field, is)
  return invalidValue(field, is, message)
}

/** A rule that cannot be evaluated counts as violated. */
function failed(
  { rule, message }: ValidationRule,
  schema: StructuralSchema,
  { path }: Spot,
  error: unknown,
): StatusCause {
  if (!(error instanceof ExpressionError)) throw error
  const of = message === undefined || message === '' ? rule : message
  const why =
    error.message === outOfBudget ? outOfBudget : `${error.message} evaluating rule: ${of.trim()}`
  return invalidValue(path, schema.type ?? '', why)
}

function messageOf(
  { source, message }: CompiledRule,
  context: Readonly<Record<string, unknown>>,
  budget: Budget,
): string {
  const plain = source.message === undefined ? '' : source.message.trim()
  const fallback = plain === '' ? `failed rule: ${source.rule.trim()}` : plain
  if (!message) return fallback
  try {
    const made = message.evaluate(context, budget)
    const usable = typeof made === 'string' && made.trim() !== '' && !made.includes('\n')
    return usable ? made.trim() : fallback
  } catch (error) {
    if (error instanceof ExpressionError) return fallback
    throw error
  }
}

function at(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string | number, unknown>)[key]
}
