import type { Place } from '../report/report.ts'
import { isPasswordHash, passwordHint } from './hints.ts'

interface Accounts {
  readonly users?: readonly { readonly passwordHash?: string }[]
  readonly groups?: readonly { readonly passwordHash?: string }[]
}

/** Ignition does not validate the hash. The message never quotes the value, which may be the password itself. */
export function checkPasswords({ users = [], groups = [] }: Accounts, place: Place): void {
  for (const [list, accounts] of Object.entries({ users, groups })) {
    for (const [i, { passwordHash }] of accounts.entries()) {
      if (passwordHash === undefined || isPasswordHash(passwordHash)) continue
      place.at(list, i, 'passwordHash').warn(passwordHint, 'likely')
    }
  }
}
