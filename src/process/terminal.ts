import { readFile } from 'node:fs/promises'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import { standardError } from './standard-error.ts'

/** What a command sees of the world it was started in. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** The bytes of a file, or of standard input for `-`. */
  readonly read: (path: string) => Promise<Uint8Array>
  /** Resolves when somebody wants the command to end: Ctrl-C, or SIGTERM. */
  readonly stopped: () => Promise<void>
  /** What can be drawn on, if the output is such; its size is the one of now. */
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

/** The output if one can move about on it: a dumb terminal, such as an editor's, only knows lines. */
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
