import type { StatusCause } from '../../status/status-error.ts'
import { invalidValue } from '../../status/causes.ts'

export const protocols = ['SCTP', 'TCP', 'UDP']
const lastPort = 65_535

export function portProblems(field: string, port: unknown): StatusCause[] {
  const number = typeof port === 'number' ? port : 0
  if (number >= 1 && number <= lastPort) return []
  return [invalidValue(field, number, `must be between 1 and ${lastPort}, inclusive`)]
}

const longestName = 15

/** Validates a port name (IANA_SVC_NAME). */
export function portNameProblems(field: string, name: string): StatusCause[] {
  const problems: string[] = []
  if (name.length > longestName) problems.push(`must be no more than ${longestName} characters`)
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)')
  if (name.includes('--')) problems.push('must not contain consecutive hyphens')
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen')
  return problems.map((problem) => invalidValue(field, name, problem))
}
