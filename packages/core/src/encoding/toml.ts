import { parse, stringify, TomlError } from 'smol-toml'
import { InvalidInput } from '../errors.ts'

/* The only module that imports the TOML library. */

export type TomlTable = Record<string, unknown>

export function parseToml(text: string): TomlTable {
  return parsed(text, 'asNeeded')
}

/** Integers are written as integers; large ones must be BigInt. The order of keys is kept. */
export function formatToml(table: TomlTable): string {
  return stringify(table)
}

/**
 * Applies a change to a TOML text. Integers are passed as BigInt, so that unchanged values keep their type. Comments are lost.
 */
export function editToml(text: string, edit: (table: TomlTable) => TomlTable): string {
  return stringify(edit(parsed(text, true)), { numbersAsFloat: true })
}

function parsed(text: string, integersAsBigInt: boolean | 'asNeeded'): TomlTable {
  try {
    return parse(text, { integersAsBigInt })
  } catch (error) {
    // Any error of the library means invalid TOML, also a depth limit or a number out of range. It is not passed on as the cause,
    // because it quotes the text, which may contain a secret.
    const line = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : ''
    throw new InvalidInput(`not valid TOML${line}`)
  }
}
