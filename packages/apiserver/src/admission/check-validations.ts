import type { ApiObject } from '../kinds/kind-rules.ts'
import type { Fields } from '../kinds/rules/fields.ts'
import { items, specOf, textOf } from '../kinds/rules/fields.ts'
import type { Cause } from '../refusal.ts'
import { duplicateValue, invalidValue, requiredValue } from '../schema/causes.ts'
import { qualifiedNameProblems } from '../verbs/names.ts'
import { oneOf } from './check-match.ts'
import { compiled } from './compiled-expression.ts'
import { annotationResults, boolResult, textResult } from './compiled-policy.ts'
import type { Scope } from './expression-types.ts'

const missing = 'validations or auditAnnotations must contain at least one item'

/** What a policy asks must be something, and each part of it must compile. */
export function askedProblems(policy: ApiObject, scope: Scope): Cause[] {
  const spec = specOf(policy)
  const validations = items(spec['validations'])
  const annotations = items(spec['auditAnnotations'])
  if (validations.length === 0 && annotations.length === 0) {
    return [
      requiredValue('spec.validations', missing),
      requiredValue('spec.auditAnnotations', missing),
    ]
  }
  const scopes = { asked: scope, message: { ...scope, authorizer: false } }
  return [
    ...validations.flatMap((validation, index) =>
      validationProblems(validation, scopes, `spec.validations[${index}]`),
    ),
    ...annotationProblems(policy.metadata.name, annotations, scope),
  ]
}

interface Scopes {
  readonly asked: Scope
  readonly message: Scope
}

function validationProblems(validation: Fields, scopes: Scopes, field: string): Cause[] {
  const expression = textOf(validation['expression'])
  const { reason } = validation
  return [
    ...(expression.trim() === ''
      ? [requiredValue(`${field}.expression`, 'expression is not specified')]
      : expressionProblems(expression, scopes.asked, boolResult, `${field}.expression`)),
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

function messageProblems(validation: Fields, scope: Scope, field: string): Cause[] {
  const message = textOf(validation['message'])
  const worked = textOf(validation['messageExpression'])
  const causes: Cause[] = []
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

const mostAnnotations = 20
const longestAnnotation = 5 * 1024

function annotationProblems(policy: string, annotations: readonly Fields[], scope: Scope): Cause[] {
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
  if (annotations.length <= mostAnnotations) return causes
  const why = `must not have more than ${mostAnnotations} auditAnnotations`
  return [invalidValue('spec.auditAnnotations', annotations, why), ...causes]
}

function annotationValueProblems(text: string, scope: Scope, field: string): Cause[] {
  const trimmed = text.trim()
  if (trimmed === '') return [requiredValue(field, 'valueExpression is not specified')]
  if (Buffer.byteLength(trimmed) > longestAnnotation) {
    return [requiredValue(field, `must not exceed ${longestAnnotation} bytes in length`)]
  }
  return expressionProblems(trimmed, scope, annotationResults, field)
}

/** Why an expression cannot be asked, or has not one of these results. */
export function expressionProblems(
  text: string,
  scope: Scope,
  results: readonly string[],
  field: string,
): Cause[] {
  const made = compiled(text, scope, results)
  return 'problem' in made ? [invalidValue(field, text, made.problem)] : []
}
