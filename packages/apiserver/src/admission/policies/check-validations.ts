import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { Fields } from '../../kinds/fields.ts'
import { items, specOf, textOf } from '../../kinds/fields.ts'
import type { StatusCause } from '../../status/status-error.ts'
import { duplicateValue, invalidValue, requiredValue } from '../../status/causes.ts'
import { qualifiedNameProblems } from '../../objects/names.ts'
import { oneOf } from './check-match.ts'
import { compileExpressionFor } from './compiled-expression.ts'
import { annotationResults, boolResult, textResult } from './compiled-policy.ts'
import type { ExpressionScope } from './expression-types.ts'

const missing = 'validations or auditAnnotations must contain at least one item'

/** A policy must have at least one validation or audit annotation, and each expression must compile. */
export function validationListProblems(policy: ApiObject, scope: ExpressionScope): StatusCause[] {
  const spec = specOf(policy)
  const validations = items(spec['validations'])
  const annotations = items(spec['auditAnnotations'])
  if (validations.length === 0 && annotations.length === 0) {
    return [
      requiredValue('spec.validations', missing),
      requiredValue('spec.auditAnnotations', missing),
    ]
  }
  const scopes = { expression: scope, message: { ...scope, authorizer: false } }
  return [
    ...validations.flatMap((validation, index) =>
      validationProblems(validation, scopes, `spec.validations[${index}]`),
    ),
    ...annotationProblems(policy.metadata.name, annotations, scope),
  ]
}

interface Scopes {
  readonly expression: ExpressionScope
  readonly message: ExpressionScope
}

function validationProblems(validation: Fields, scopes: Scopes, field: string): StatusCause[] {
  const expression = textOf(validation['expression'])
  const { reason } = validation
  return [
    ...(expression.trim() === ''
      ? [requiredValue(`${field}.expression`, 'expression is not specified')]
      : expressionProblems(expression, scopes.expression, boolResult, `${field}.expression`)),
    ...messageProblems(validation, scopes.message, field),
    ...(reason === undefined || reason === null
      ? []
      : oneOf(`${field}.reason`, textOf(reason), [
          'Forbidden',
          'Invalid',
          'RequestEntityTooLarge',
        ])),
  ]
}

function messageProblems(validation: Fields, scope: ExpressionScope, field: string): StatusCause[] {
  const message = textOf(validation['message'])
  const worked = textOf(validation['messageExpression'])
  const causes: StatusCause[] = []
  if (worked !== '' && worked.trim() === '') {
    const why = 'must be non-empty if specified'
    causes.push(invalidValue(`${field}.messageExpression`, worked, why))
  } else if (worked !== '') {
    const place = `${field}.messageExpression`
    causes.push(...expressionProblems(worked, scope, textResult, place))
  }
  if (message !== '' && message.trim() === '') {
    const why = 'message must be non-empty if specified'
    causes.push(invalidValue(`${field}.message`, message, why))
  } else if (/[\n\r]/.test(message.trim())) {
    const why = 'message must not contain line breaks'
    causes.push(invalidValue(`${field}.message`, message, why))
  }
  return causes
}

const maxAnnotations = 20
const longestAnnotation = 5 * 1024

function annotationProblems(
  policy: string,
  annotations: readonly Fields[],
  scope: ExpressionScope,
): StatusCause[] {
  const keys = annotations.map(({ key }) => textOf(key))
  const causes = annotations.flatMap(({ valueExpression }, index) => {
    const field = `spec.auditAnnotations[${index}]`
    const key = keys[index]!
    const text = textOf(valueExpression)
    const name = `${policy}/${key}`
    return [
      ...qualifiedNameProblems(name).map((why) => invalidValue(`${field}.key`, name, why)),
      ...annotationValueProblems(text, scope, `${field}.valueExpression`),
      ...(keys.indexOf(key) < index ? [duplicateValue(`${field}.key`, key)] : []),
    ]
  })
  if (annotations.length <= maxAnnotations) return causes
  const why = `must not have more than ${maxAnnotations} auditAnnotations`
  return [invalidValue('spec.auditAnnotations', annotations, why), ...causes]
}

function annotationValueProblems(
  text: string,
  scope: ExpressionScope,
  field: string,
): StatusCause[] {
  const trimmed = text.trim()
  if (trimmed === '') return [requiredValue(field, 'valueExpression is not specified')]
  if (Buffer.byteLength(trimmed) > longestAnnotation) {
    return [requiredValue(field, `must not exceed ${longestAnnotation} bytes in length`)]
  }
  return expressionProblems(trimmed, scope, annotationResults, field)
}

/** Why an expression does not compile or has none of the expected result types. */
export function expressionProblems(
  text: string,
  scope: ExpressionScope,
  results: readonly string[],
  field: string,
): StatusCause[] {
  const made = compileExpressionFor(text, scope, results)
  return 'problem' in made ? [invalidValue(field, text, made.problem)] : []
}
