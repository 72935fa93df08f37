import { readFile } from 'node:fs/promises'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import { standardError } from './standard-error.ts'

/** The input and output of a command. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** The bytes of a file, or of standard input for `-`. */
  readonly read: (path: string) => Promise<Uint8Array>
  /** Resolves on SIGINT (Ctrl-C) or SIGTERM. */
  readonly stopped: () => Promise<void>
  /** The terminal of the output with its current size; undefined if the output is not a terminal. */
  readonly window?: () => { readonly columns: number; readonly rows: number } | undefined
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  error: standardError(),
  read: (path) => (path === '-' ? readStandardInput() : readNamedFile(path)),
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    }),
  window: () => drawable(process.stdout, process.env),
}

/** The output if its cursor can be moved. A dumb terminal, such as the one of an editor, only prints lines. */
export function drawable<T extends { readonly isTTY?: boolean }>(
  output: T,
  environment: Readonly<Record<string, string | undefined>>,
): T | undefined {
  return output.isTTY && environment['TERM'] !== 'dumb' ? output : undefined
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

async function readNamedFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new InvalidInput(`cannot read ${path}: ${reasonOf(error)}`)
  }
}

/** `no such file or directory` instead of Node's `ENOENT: no such file or directory, open '…'`. */
export function reasonOf(error: unknown): string {
  return /^[A-Z]+: ([^,]+)/.exec(messageOf(error))?.[1] ?? messageOf(error)
}
