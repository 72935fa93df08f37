import type { Expression } from '../schema/cel.ts'
import { compileExpression, ExpressionError, typeOfExpression } from '../schema/cel.ts'
import type { Scope } from './expression-types.ts'
import { declarationsFor } from './expression-types.ts'

/** An expression that can be asked, or why it cannot. */
export type Compiled =
  | { readonly text: string; readonly expression: Expression; readonly type: string }
  | { readonly text: string; readonly problem: string }

/** Compiles for one of these result types (any, where there are none). The problem is in kube-apiserver's words. */
export function compiled(text: string, scope: Scope, results: readonly string[]): Compiled {
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

/** Types have been checked by then, so that all are there and of any type. */
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
