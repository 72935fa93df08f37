/** A compile error in kube-apiserver's format. */
export function compileError(text: string, why: string, at: number): string {
  // An undeclared function is reported at its arguments.
  const open = why.includes('no matching overload') ? text.indexOf('(', at) : -1
  const before = text.slice(0, open < 0 ? at : open).split('\n')
  const column = before.at(-1)!.length
  const line = text.split('\n')[before.length - 1] ?? ''
  const place = `<input>:${before.length}:${column + 1}`
  return `ERROR: ${place}: ${reworded(why)}\n | ${line}\n | ${'.'.repeat(column)}^`
}

/** An evaluation error in kube-apiserver's format. */
export function evaluationText(code: string, summary: string): string {
  const index = /index (-?\d+)/.exec(summary)?.[1]
  if (code === 'index_out_of_bounds' && index !== undefined) return `index out of bounds: ${index}`
  if (code === 'no_such_key') return summary.replace('No such key', 'no such key')
  if (code === 'numeric_overflow') return 'integer overflow'
  const type = conversions[code]
  return type === undefined ? summary : `type conversion error from 'string' to '${type}'`
}

const conversions: Readonly<Record<string, string>> = {
  int_conversion_error: 'int',
  uint_conversion_error: 'uint',
  double_conversion_error: 'double',
  bool_conversion_error: 'bool',
  invalid_timestamp: 'google.protobuf.Timestamp',
  invalid_duration: 'google.protobuf.Duration',
}

function reworded(why: string): string {
  if (why === 'Expected IDENTIFIER, got EOF') {
    return "Syntax error: no viable alternative at input '.'"
  }
  if (why === 'Unexpected token: EOF') return `Syntax error: mismatched input '<EOF>' ${operands}`
  const variable = /^Unknown variable: (.+)$/.exec(why)?.[1]
  if (variable !== undefined) return `undeclared reference to '${variable}' (in container '')`
  const name = /^found no matching overload for '(?:[^(]*\.)?(\w+)\(/.exec(why)?.[1]
  return name === undefined ? why : `undeclared reference to '${name}': ${why}`
}

const operands =
  "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
