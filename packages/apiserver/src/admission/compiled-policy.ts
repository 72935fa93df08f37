import type { Compiled } from './compiled-expression.ts'
import { compiled } from './compiled-expression.ts'
import type { Scope } from './expression-types.ts'
import type { AuditAnnotation, PolicySpec, Validation } from './policy-objects.ts'

/** A policy whose expressions can be asked, in the order in which they are written. */
export interface CompiledPolicy {
  readonly matchConditions: readonly Compiled[]
  readonly variables: ReadonlyMap<string, Compiled>
  readonly validations: readonly CompiledValidation[]
  readonly auditAnnotations: readonly Compiled[]
}

export interface CompiledValidation {
  readonly source: Validation
  readonly expression: Compiled
  readonly message?: Compiled
}

export const boolResult = ['bool']
export const textResult = ['string']
export const annotationResults = ['string', 'null_type']

export function compilePolicy(spec: PolicySpec): CompiledPolicy {
  const { scope, variables } = compileVariables(spec)
  // A message is for people, who may not learn what others may do.
  const messageScope = { ...scope, authorizer: false }
  return {
    variables,
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) =>
      compiled(expression, scope, boolResult),
    ),
    validations: (spec.validations ?? []).map((source) => {
      const { expression, messageExpression } = source
      const asked = compiled(expression, scope, boolResult)
      if (!messageExpression) return { source, expression: asked }
      const message = compiled(messageExpression, messageScope, textResult)
      return { source, expression: asked, message }
    }),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ valueExpression }: AuditAnnotation) =>
      compiled(valueExpression, scope, annotationResults),
    ),
  }
}

export interface CompiledVariables {
  /** What every other expression of the policy may use. */
  readonly scope: Scope
  readonly variables: ReadonlyMap<string, Compiled>
  /** The variables as they are listed, those of the same name too. */
  readonly listed: readonly Compiled[]
}

/** Each variable may use those before it. */
export function compileVariables(spec: PolicySpec): CompiledVariables {
  const sources = spec.variables ?? []
  const variables = new Map<string, Compiled>()
  const listed: Compiled[] = []
  const types = new Map<string, string>()
  const params = spec.paramKind !== undefined
  const first: Scope = { params, authorizer: true, variables: new Map() }
  for (const { name, expression } of sources) {
    // Only what is named counts: otherwise many variables would be slow to check, each with all before it.
    const used = [...types].filter(([each]) => expression.includes(each))
    const scope = used.length === 0 ? first : { ...first, variables: new Map(used) }
    const made = compiled(expression, scope, [])
    listed.push(made)
    variables.set(name, made)
    types.set(name, 'type' in made ? fieldType(made.type) : 'dyn')
  }
  const declared = sources.length > 0 ? types : undefined
  return { scope: { params, authorizer: true, variables: declared }, variables, listed }
}

/** No field is of the type of null alone. */
const fieldType = (type: string): string => (type === 'null_type' ? 'dyn' : type)
