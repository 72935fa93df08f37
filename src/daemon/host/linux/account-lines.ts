import { withoutTrailing } from '@machinist/core/trimmed'
import type { Account } from '../host.ts'

/** The account of a user in /etc/passwd, or undefined if there is no valid line for the user. */
export function accountIn(text: string, name: string): Account | undefined {
  const [, , uid, gid, , home] = fieldsOf(text, name, 7) ?? []
  if (!isId(uid) || !isId(gid) || !home?.startsWith('/')) return undefined
  return { uid: Number(uid), gid: Number(gid), home: withoutTrailing(home, '/') || '/' }
}

export function groupIn(text: string, name: string): number | undefined {
  const gid = fieldsOf(text, name, 4)?.[2]
  return isId(gid) ? Number(gid) : undefined
}

/** The second field: in /etc/shadow the hash, in /etc/passwd usually `x`. */
export const secretIn = (text: string, name: string): string | undefined =>
  fieldsOf(text, name, 2)?.[1]

function fieldsOf(text: string, name: string, atLeast: number): string[] | undefined {
  const lines = text.split('\n').map((line) => line.split(':'))
  const fields = lines.find(([first]) => first === name && name !== '')
  return fields && fields.length >= atLeast ? fields : undefined
}

const isId = (text: string | undefined): text is string => /^\d{1,10}$/.test(text ?? '')
