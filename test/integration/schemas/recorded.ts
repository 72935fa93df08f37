import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StatusCause } from '@machinist/apiserver/status/status-error'

/** The responses of kube-apiserver v1.32.4, by name. Written by recorded.real.test.ts. */
export interface Recorded {
  readonly mistakes: Readonly<Record<string, Answer>>
  readonly probes: Readonly<Record<string, readonly Answer[]>>
  readonly examples: Readonly<Record<string, Answer>>
}

/** A response. Without causes and message, the object was accepted. */
export interface Answer {
  readonly causes?: readonly StatusCause[]
  /** The message of a rejection without causes. */
  readonly message?: string
  /** `spec` as it was stored. */
  readonly stored?: unknown
  /** The message of the rejection with fieldValidation=Strict. */
  readonly strict?: string
  /** The state of an example that was rejected: `0`, `1`, `1/status`. */
  readonly at?: string
}

export function recorded(): Recorded {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'recorded.json'), 'utf8')) as Recorded
}

/** Causes are sorted, because maps of Go have no order. */
export function sorted(causes: readonly StatusCause[]): StatusCause[] {
  const text = ({ field, message, reason }: StatusCause): string => `${field} ${message} ${reason}`
  return causes.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
}
