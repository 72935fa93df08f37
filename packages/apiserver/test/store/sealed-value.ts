import { createHash } from 'node:crypto'

/** A value with a checksum. */
export function sealed(sequence: number, length: number): string {
  const body = `${sequence}:${'x'.repeat(length)}`
  return `${seal(body)}:${body}`
}

/** The sequence of a sealed value; undefined if the value is incomplete. */
export function sequenceOf(value: string): number | undefined {
  const body = value.slice(value.indexOf(':') + 1)
  if (!value.startsWith(`${seal(body)}:`)) return undefined
  return Number.parseInt(body, 10)
}

const seal = (body: string): string => createHash('sha256').update(body).digest('hex')
