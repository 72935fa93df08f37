import type { CompiledPolicy, CompiledValidation } from './policies/compiled-policy.ts'
import type { Evaluation } from './evaluation.ts'
import { OutOfBudget } from './evaluation.ts'

/** Why a policy fails. */
export interface PolicyFailure {
  readonly message: string
  readonly reason: string
}

export interface PolicyDecision {
  /** Failures that the binding's validationActions apply to. */
  readonly failures: readonly PolicyFailure[]
  /** Failures that deny the request regardless of validationActions. */
  readonly denials: readonly PolicyFailure[]
}

const none: PolicyDecision = { failures: [], denials: [] }
const longestMessage = 5 * 1024

/** Evaluates one policy for one request and one parameter. `matching` has no namespaceObject, as in Kubernetes. */
export function decidePolicy(
  policy: CompiledPolicy,
  ignoresErrors: boolean,
  matching: Evaluation,
  evaluation: Evaluation,
): PolicyDecision {
  try {
    const matched = conditionsMatch(policy, matching)
    if (typeof matched === 'string') return ignoresErrors ? none : failing(matched)
    if (!matched) return none
    return {
      failures: policy.validations.flatMap((each) => validated(each, ignoresErrors, evaluation)),
      denials: ignoresErrors ? [] : annotationProblems(policy, evaluation),
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
    return ignoresErrors ? none : failing(error.message)
  }
}

const policyFailure = (message: string, reason = 'Invalid'): PolicyFailure => ({ message, reason })

const failing = (message: string): PolicyDecision => ({
  ...none,
  failures: [policyFailure(message)],
})

/** One false condition skips the policy; otherwise returns the errors as text. */
function conditionsMatch(
  { matchConditions }: CompiledPolicy,
  matching: Evaluation,
): boolean | string {
  const problems: string[] = []
  for (const condition of matchConditions) {
    const result = matching.of(condition)
    if ('problem' in result) problems.push(result.problem)
    else if (result.value === false) return false
  }
  if (problems.length === 0) return true
  const different = [...new Set(problems)]
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`
}

function validated(
  validation: CompiledValidation,
  ignoresErrors: boolean,
  evaluation: Evaluation,
): PolicyFailure[] {
  const result = evaluation.of(validation.expression)
  if ('problem' in result) return ignoresErrors ? [] : [policyFailure(result.problem)]
  if (result.value === true) return []
  return [policyFailure(messageOf(validation, evaluation), validation.source.reason)]
}

/** The result of messageExpression, else the static message, else the expression. */
function messageOf({ source, message }: CompiledValidation, evaluation: Evaluation): string {
  const made = message && evaluation.of(message)
  if (made && 'value' in made && typeof made.value === 'string') {
    const text = made.value.trim()
    const usable = Buffer.byteLength(text) <= longestMessage && !text.includes('\n')
    if (usable && text !== '') return text
  }
  return source.message?.trim() || `failed expression: ${source.expression.trim()}`
}

/** There is no audit log, but an annotation that fails to evaluate still denies the request. */
function annotationProblems(
  { auditAnnotations }: CompiledPolicy,
  evaluation: Evaluation,
): PolicyFailure[] {
  return auditAnnotations.flatMap((annotation) => {
    const result = evaluation.of(annotation)
    return 'problem' in result ? [policyFailure(result.problem)] : []
  })
}
