import type { ASTNode, ParseResult } from '@marcbachmann/cel-js'
import {
  Environment,
  EvaluationError,
  Optional,
  ParseError,
  TypeError as CheckError,
} from '@marcbachmann/cel-js'
import type { Budget } from './budget.ts'
import { countSteps, outOfBudget } from './budget.ts'
import type { Registrar } from './library.ts'
import { registerLibrary } from './library.ts'
import { compileError, evaluationText } from './texts.ts'
import type { TypeProblem } from './type-errors.ts'
import { typeErrorOf } from './type-errors.ts'
import { parts } from './tree.ts'
import type { TreeNode } from './tree.ts'

/** A compile or evaluation error. The message is for the user. */
export class ExpressionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ExpressionError'
  }
}

/**
 * A chain of field selections: `self.spec.name` is variable `self`, fields `spec` and `name`, at the column of the
 * last dot.
 */
export interface Selection {
  readonly variable: string
  readonly fields: readonly string[]
  readonly at: number
}

export interface Expression {
  readonly text: string
  /** `dyn` if it is only known at run time. */
  readonly type: string
  readonly variables: ReadonlySet<string>
  readonly selections: readonly Selection[]
  /** Set if the expression consists of nothing but this chain. */
  readonly selection?: Selection
  /** Context values are CEL values: see values.ts. Throws ExpressionError. */
  evaluate(context: Readonly<Record<string, unknown>>, budget: Budget): unknown
}

/** Compiles an expression over untyped variables. Throws ExpressionError. */
export function compileExpression(text: string, variables: readonly string[]): Expression {
  const program = compile(environmentOf(variables), text)
  const root = program.ast as unknown as TreeNode
  const whole = selectionOf(root, text)
  const count = countSteps(root)
  return {
    text,
    type: program.check().type ?? 'dyn',
    variables: variablesOf(root),
    selections: [...parts(root)].flatMap((node) => selectionOf(node, text) ?? []),
    ...(whole && { selection: whole }),
    evaluate: (context, budget) => evaluate(program, context, () => count(budget)),
  }
}

/** Typed variables: of CEL types, library types, or these record types with their field types. */
export interface Declarations {
  readonly records: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly variables: Readonly<Record<string, string>>
}

/** The type of an expression over typed variables. Throws ExpressionError if the types do not match. */
export function typeOfExpression(text: string, declared: Declarations): string {
  const environment = typedEnvironments.get(declared) ?? typedEnvironment(declared)
  typedEnvironments.set(declared, environment)
  try {
    const program = environment.parse(text)
    adapt(program.ast)
    const { valid, error, type } = program.check()
    if (!valid && error) throw error
    return type === 'null' ? 'null_type' : (type ?? 'dyn')
  } catch (error) {
    if (!(error instanceof CheckError)) throw notCompiled(text, error)
    throw new ExpressionError(typeErrorOf(text, problemOf(error), isFunction))
  }
}

/** Shared: many expressions use the same variables. */
const typedEnvironments = new WeakMap<Declarations, Environment>()

function typedEnvironment({ records, variables }: Declarations): Environment {
  const environment = base().clone({ ...options, homogeneousAggregateLiterals: true })
  for (const [name, fields] of Object.entries(records)) {
    environment.registerType(name, { fields })
    // Registering `==` registers `!=` as well.
    for (const other of [name, 'null']) {
      environment.registerOperator(`${name} == ${other}`, () => false)
    }
  }
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type)
  return environment
}

function problemOf(error: CheckError): TypeProblem {
  const left = (error.node?.args as unknown as TreeNode[] | undefined)?.[0]
  const end = typeof left === 'object' ? (left as { end?: number }).end : undefined
  const at = error.range?.start ?? 0
  return {
    code: error.code,
    summary: error.summary,
    at,
    ...(end !== undefined && { leftEnd: end }),
  }
}

/** The value of `oldSelf` for a rule with optionalOldSelf. */
export function optional(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value)
}

let toDuration: ParseResult | undefined

/** A CEL duration; undefined if the text is invalid. */
export function durationOf(text: string): unknown {
  try {
    toDuration ??= environmentOf(['text']).parse('duration(text)')
    return toDuration({ text }) as unknown
  } catch {
    return undefined
  }
}

const options = {
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
}
const environments = new Map<string, Environment>()

/** Created with the first expression, so that a server without expressions starts faster. */
let library: Environment | undefined

function base(): Environment {
  if (library) return library
  library = new Environment(options)
  registerLibrary(library as unknown as Registrar, {
    of: (value) => Optional.of(value),
    none: () => Optional.none(),
    fail: (message) => new EvaluationError(message),
  })
  return library
}

const isFunction = (functionName: string): boolean =>
  base()
    .getDefinitions()
    .functions.some(({ name }) => name === functionName)

function environmentOf(variables: readonly string[]): Environment {
  const key = variables.join(' ')
  const known = environments.get(key)
  if (known) return known
  const made = base().clone(options)
  for (const name of variables) made.registerVariable(name, 'dyn')
  environments.set(key, made)
  return made
}

function compile(environment: Environment, text: string): ParseResult {
  try {
    const program = environment.parse(text)
    adapt(program.ast)
    const { valid, error } = program.check()
    if (!valid && error) throw error
    return program
  } catch (error) {
    throw notCompiled(text, error)
  }
}

function notCompiled(text: string, error: unknown): ExpressionError {
  if (error instanceof ParseError || error instanceof CheckError) {
    return new ExpressionError(compileError(text, error.summary, error.range?.start ?? 0))
  }
  return new ExpressionError(compileError(text, (error as Error).message, 0))
}

function evaluate(
  program: ParseResult,
  context: Readonly<Record<string, unknown>>,
  begin: () => () => boolean,
): unknown {
  const exhausted = begin()
  try {
    const result: unknown = program({ ...context })
    if (exhausted()) throw new ExpressionError(outOfBudget)
    return result
  } catch (error) {
    if (exhausted()) throw new ExpressionError(outOfBudget)
    if (error instanceof EvaluationError) {
      throw new ExpressionError(evaluationText(error.code, error.summary))
    }
    throw error instanceof ExpressionError ? error : new ExpressionError(String(error))
  }
}

/** Rewrites the tree where the library is more restrictive than Kubernetes: RE2 patterns, and has() of any chain. */
function adapt(ast: ASTNode): void {
  for (const node of parts(ast as unknown as TreeNode)) {
    if (node.op === 'rcall' && Array.isArray(node.args) && node.args[0] === 'matches') {
      node.args[0] = 'matchesPattern'
    }
    const { macro } = node.meta
    if (node.op === 'call' && Array.isArray(node.args) && node.args[0] === 'has' && macro?.args) {
      const [chain] = macro.args
      if (chain?.op !== '.' || !Array.isArray(chain.args)) continue
      const [of, field] = chain.args as unknown as [TreeNode, string]
      if (isChain(of)) continue
      macro.typeCheck = (checker, _, context) => {
        checker.check(of, context)
        return checker.getType('bool')
      }
      macro.evaluate = (evaluator, _, context) => hasField(evaluator.run(of, context), field)
    }
  }
}

function isChain(node: TreeNode): boolean {
  if (node.op === 'id') return true
  return node.op === '.' && Array.isArray(node.args) && isChain(node.args[0] as TreeNode)
}

function hasField(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field)
}

function variablesOf(root: TreeNode): Set<string> {
  const names = [...parts(root)].filter(({ op }) => op === 'id').map(({ args }) => args as string)
  return new Set(names)
}

function selectionOf(node: TreeNode, text: string): Selection | undefined {
  const fields: string[] = []
  let at = node
  while ((at.op === '.' || at.op === '.?') && Array.isArray(at.args)) {
    fields.unshift(at.args[1] as string)
    at = at.args[0] as TreeNode
  }
  if (at.op !== 'id' || fields.length === 0) return undefined
  return { variable: at.args as string, fields, at: text.lastIndexOf('.', node.pos) }
}
