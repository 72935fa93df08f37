/** A type error of the library, with its position. */
export interface TypeProblem {
  readonly code: string
  readonly summary: string
  readonly at: number
  /** End of the left operand, for operators. */
  readonly leftEnd?: number
}

/** The error with the message and position of kube-apiserver's compiler. */
export function typeErrorOf(
  text: string,
  problem: TypeProblem,
  isFunction: (name: string) => boolean,
): string {
  const { why, at } = reworded(text, problem, isFunction)
  const before = text.slice(0, at).split('\n')
  const column = before.at(-1)!.length
  const line = text.split('\n')[before.length - 1] ?? ''
  return `ERROR: <input>:${before.length}:${column + 1}: ${why}\n | ${line}\n | ${'.'.repeat(column)}^`
}

interface CompilerMessage {
  readonly why: string
  readonly at: number
}

function reworded(
  text: string,
  { code, summary, at, leftEnd }: TypeProblem,
  isFunction: (name: string) => boolean,
): CompilerMessage {
  const operator = /^no such overload: (.+) (==|!=|<=?|>=?|[-+*/%]|in|&&|\|\|) (.+)$/.exec(summary)
  if (operator) {
    const [, left, name, right] = operator as unknown as [string, string, string, string]
    const place = text.indexOf(name, leftEnd ?? at)
    const why = `found no matching overload for '${operatorNames[name] ?? `_${name}_`}' applied to '(${left}, ${right})'`
    return { why, at: place < 0 ? at : place }
  }
  const call = /^found no matching overload for '(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(summary)
  if (call) return noSuchCall(text, at, call, isFunction)
  const field = /^No such key: (.+)$/.exec(summary)?.[1]
  if (code === 'no_such_key' && field !== undefined) {
    const dot = text.lastIndexOf('.', at)
    return { why: `undefined field '${field}'`, at: dot < 0 ? at : dot }
  }
  const types = summary.indexOf("expected type '")
  if (types >= 0 && summary.includes("' but found '", types))
    return { why: summary.slice(types), at }
  const variable = /^Unknown variable: (.+)$/.exec(summary)?.[1]
  return { why: variable === undefined ? summary : undeclared(variable), at }
}

function noSuchCall(
  text: string,
  at: number,
  [, receiver, name = '', parameters = '']: RegExpExecArray,
  isFunction: (name: string) => boolean,
): CompilerMessage {
  const open = new RegExp(`\\b${name}\\s*\\(`).exec(text.slice(at))
  const place = open ? at + open.index + open[0].length - 1 : at
  if (!isFunction(name)) return { why: undeclared(name), at: place }
  const types = receiver === undefined ? `(${parameters})` : `${receiver}.(${parameters})`
  return { why: `found no matching overload for '${name}' applied to '${types}'`, at: place }
}

const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`

const operatorNames: Readonly<Record<string, string>> = { in: '@in' }
