import type { CompiledExpression } from './compiled-expression.ts'
import { compileExpressionFor } from './compiled-expression.ts'
import type { ExpressionScope } from './expression-types.ts'
import type { AuditAnnotation, PolicySpec, Validation } from './policy-objects.ts'

/** A policy with its expressions compiled, in the order of the spec. */
export interface CompiledPolicy {
  readonly matchConditions: readonly CompiledExpression[]
  readonly variables: ReadonlyMap<string, CompiledExpression>
  readonly validations: readonly CompiledValidation[]
  readonly auditAnnotations: readonly CompiledExpression[]
}

export interface CompiledValidation {
  readonly source: Validation
  readonly expression: CompiledExpression
  readonly message?: CompiledExpression
}

export const boolResult = ['bool']
export const textResult = ['string']
export const annotationResults = ['string', 'null_type']

export function compilePolicy(spec: PolicySpec): CompiledPolicy {
  const { scope, variables } = compileVariables(spec)
  // Messages go to clients, which must not learn what other users are allowed to do.
  const messageScope = { ...scope, authorizer: false }
  return {
    variables,
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) =>
      compileExpressionFor(expression, scope, boolResult),
    ),
    validations: (spec.validations ?? []).map((source) => {
      const { expression, messageExpression } = source
      const compiled = compileExpressionFor(expression, scope, boolResult)
      if (!messageExpression) return { source, expression: compiled }
      const message = compileExpressionFor(messageExpression, messageScope, textResult)
      return { source, expression: compiled, message }
    }),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ valueExpression }: AuditAnnotation) =>
      compileExpressionFor(valueExpression, scope, annotationResults),
    ),
  }
}

export interface CompiledVariables {
  /** What every other expression of the policy can reference. */
  readonly scope: ExpressionScope
  readonly variables: ReadonlyMap<string, CompiledExpression>
  /** All variables in the order of the spec, duplicates included. */
  readonly listed: readonly CompiledExpression[]
}

/** Each variable can reference the ones before it. */
export function compileVariables(spec: PolicySpec): CompiledVariables {
  const sources = spec.variables ?? []
  const variables = new Map<string, CompiledExpression>()
  const listed: CompiledExpression[] = []
  const types = new Map<string, string>()
  const params = spec.paramKind !== undefined
  const first: ExpressionScope = { params, authorizer: true, variables: new Map() }
  for (const { name, expression } of sources) {
    // Declare only variables that the expression names: checking many variables against all previous ones is slow.
    const used = [...types].filter(([each]) => expression.includes(each))
    const scope = used.length === 0 ? first : { ...first, variables: new Map(used) }
    const made = compileExpressionFor(expression, scope, [])
    listed.push(made)
    variables.set(name, made)
    types.set(name, 'type' in made ? fieldType(made.type) : 'dyn')
  }
  const declared = sources.length > 0 ? types : undefined
  return { scope: { params, authorizer: true, variables: declared }, variables, listed }
}

/** A record field cannot have the type null_type. */
const fieldType = (type: string): string => (type === 'null_type' ? 'dyn' : type)
