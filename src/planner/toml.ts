import { parse, TomlError } from 'smol-toml'
import { InvalidInput } from '../base/errors.ts'

/** The only place that knows the TOML library. */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    // A depth limit or a number out of range is as wrong as a syntax error, whatever the library throws for it.
    const line = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : ''
    throw new InvalidInput(`not valid TOML${line}`, { cause: error })
  }
}
