import type { CompiledPolicy, CompiledValidation } from './compiled-policy.ts'
import type { Evaluation } from './evaluation.ts'
import { OutOfBudget } from './evaluation.ts'

/** Why a policy says no. */
export interface Objection {
  readonly message: string
  readonly reason: string
}

export interface Decisions {
  /** What the binding's actions are applied to. */
  readonly objections: readonly Objection[]
  /** Denied whatever the binding's actions are. */
  readonly denials: readonly Objection[]
}

const none: Decisions = { objections: [], denials: [] }
const longestMessage = 5 * 1024

/** Asks one policy about one request (with one parameter). `matching` knows no namespace, as in Kubernetes. */
export function decide(
  policy: CompiledPolicy,
  ignoresErrors: boolean,
  matching: Evaluation,
  evaluation: Evaluation,
): Decisions {
  try {
    const matched = conditionsMatch(policy, matching)
    if (typeof matched === 'string') return ignoresErrors ? none : objecting(matched)
    if (!matched) return none
    return {
      objections: policy.validations.flatMap((each) => validated(each, ignoresErrors, evaluation)),
      denials: ignoresErrors ? [] : annotationProblems(policy, evaluation),
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
    return ignoresErrors ? none : objecting(error.message)
  }
}

const objection = (message: string, reason = 'Invalid'): Objection => ({ message, reason })

const objecting = (message: string): Decisions => ({ ...none, objections: [objection(message)] })

/** One false condition is enough to leave the request alone; otherwise problems count: they are the text. */
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
): Objection[] {
  const result = evaluation.of(validation.expression)
  if ('problem' in result) return ignoresErrors ? [] : [objection(result.problem)]
  if (result.value === true) return []
  return [objection(messageOf(validation, evaluation), validation.source.reason)]
}

/** The message that was worked out, or the fixed one, or the expression itself. */
function messageOf({ source, message }: CompiledValidation, evaluation: Evaluation): string {
  const made = message && evaluation.of(message)
  if (made && 'value' in made && typeof made.value === 'string') {
    const text = made.value.trim()
    const usable = Buffer.byteLength(text) <= longestMessage && !text.includes('\n')
    if (usable && text !== '') return text
  }
  return source.message?.trim() || `failed expression: ${source.expression.trim()}`
}

/** Nobody keeps an audit log here, but an annotation that cannot be made is a denial all the same. */
function annotationProblems(
  { auditAnnotations }: CompiledPolicy,
  evaluation: Evaluation,
): Objection[] {
  return auditAnnotations.flatMap((annotation) => {
    const result = evaluation.of(annotation)
    return 'problem' in result ? [objection(result.problem)] : []
  })
}
