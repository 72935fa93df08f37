import { parse, stringify, TomlError } from 'smol-toml'
import { InvalidInput } from './errors.ts'

/* The only place that knows the TOML library. */

export type TomlTable = Record<string, unknown>

export function parseToml(text: string): TomlTable {
  return parsed(text, 'asNeeded')
}

/** Whole numbers are written as such; large ones have to be given as BigInt. Keys stay in their order. */
export function formatToml(table: TomlTable): string {
  return stringify(table)
}

/**
 * The text with something changed. Whole numbers come as BigInt, so that nothing else changes its type on the way;
 * comments are lost.
 */
export function editToml(text: string, change: (table: TomlTable) => TomlTable): string {
  return stringify(change(parsed(text, true)), { numbersAsFloat: true })
}

function parsed(text: string, integersAsBigInt: boolean | 'asNeeded'): TomlTable {
  try {
    return parse(text, { integersAsBigInt })
  } catch (error) {
    // A depth limit or a number out of range is as wrong as a syntax error, whatever the library throws for it. Its error is
    // no cause of ours: it quotes the text, which may hold a secret, and messages are shown with their causes.
    const line = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : ''
    throw new InvalidInput(`not valid TOML${line}`)
  }
}
