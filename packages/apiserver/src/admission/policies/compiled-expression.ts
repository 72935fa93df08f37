import type { Expression } from '../../cel/cel.ts'
import { compileExpression, ExpressionError, typeOfExpression } from '../../cel/cel.ts'
import type { ExpressionScope } from './expression-types.ts'
import { declarationsFor } from './expression-types.ts'

/** A compiled expression, or its compile error. */
export type CompiledExpression =
  | { readonly text: string; readonly expression: Expression; readonly type: string }
  | { readonly text: string; readonly problem: string }

/** Compiles for one of these result types (any type if none is given). Errors use kube-apiserver's messages. */
export function compileExpressionFor(
  text: string,
  scope: ExpressionScope,
  results: readonly string[],
): CompiledExpression {
  try {
    const type = typeOfExpression(text, declarationsFor(scope))
    if (results.length > 0 && !results.includes(type)) {
      return { text, problem: `must evaluate to ${listed(results)} but got ${type}` }
    }
    return { text, expression: compileExpression(text, allVariables), type }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { text, problem: `compilation failed: ${error.message}` }
  }
}

/** All variables, untyped: types are checked before. */
const allVariables = [
  'object',
  'oldObject',
  'request',
  'params',
  'namespaceObject',
  'authorizer',
  'variables',
]

const listed = (results: readonly string[]): string =>
  results.length === 1 ? results[0]! : `one of [${results.join(' ')}]`
