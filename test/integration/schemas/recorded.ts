import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cause } from '@machinist/apiserver/refusal'

/** What kube-apiserver v1.32.4 answered, by name. Written by recorded.real.test.ts. */
export interface Recorded {
  readonly mistakes: Readonly<Record<string, Answer>>
  readonly probes: Readonly<Record<string, readonly Answer[]>>
  readonly examples: Readonly<Record<string, Answer>>
}

/** Without causes and message it was taken. */
export interface Answer {
  readonly causes?: readonly Cause[]
  /** The refusal where it has no causes. */
  readonly message?: string
  /** `spec` as it was stored. */
  readonly stored?: unknown
  /** The refusal with fieldValidation=Strict. */
  readonly strict?: string
  /** Which state of an example was refused: `0`, `1`, `1/status`. */
  readonly at?: string
}

export function recorded(): Recorded {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'recorded.json'), 'utf8')) as Recorded
}

/** Go's maps have no order, so causes have none. */
export function sorted(causes: readonly Cause[]): Cause[] {
  const text = ({ field, message, reason }: Cause): string => `${field} ${message} ${reason}`
  return causes.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
}
