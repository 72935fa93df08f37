import type { Config, User } from '@machinist/ignition/config'
import { plain } from '@machinist/core/quoted'
import { byText, count } from './wording.ts'

/** The one account that a running node lets a config change. */
export const coreUser = 'core'

/** A password that nobody can log in with. Also what becomes of one that no config names any more. */
export const lockedPassword = '*'

export interface KeysDifference {
  readonly user: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export interface PasswordDifference {
  readonly user: string
  /** The user is no longer in the config. */
  readonly gone: boolean
  readonly change: 'added' | 'changed' | 'removed'
}

/** As it has to be in /etc/shadow. */
export function passwordHashOf(config: Config, user: string): string {
  return userOf(config, user)?.passwordHash || lockedPassword
}

export function differingKeys(before: Config, after: Config): KeysDifference | undefined {
  const [old, now] = [keysOf(before), keysOf(after)]
  const same = old.length === now.length && old.every((key, i) => key === now[i])
  return same ? undefined : { user: coreUser, before: old, after: now }
}

export function differingPasswords(before: Config, after: Config): PasswordDifference[] {
  const users = [...(before.passwd?.users ?? []), ...(after.passwd?.users ?? [])]
  return [...new Set(users.map(({ name }) => name))].sort(byText).flatMap((user) => {
    const [old, now] = [passwordHashOf(before, user), passwordHashOf(after, user)]
    if (old === now) return []
    const change = old === lockedPassword ? 'added' : now === lockedPassword ? 'removed' : 'changed'
    return { user, gone: userOf(after, user) === undefined, change }
  })
}

export function keysSummary({ user, before, after }: KeysDifference): string {
  const [added, removed] = [without(after, before), without(before, after)]
  const parts = [
    ...(added > 0 ? [`${count(added, 'key')} added`] : []),
    ...(removed > 0 ? [`${count(removed, 'key')} removed`] : []),
  ]
  const what = parts.length > 0 ? parts.join(', ') : 'another order'
  return `SSH keys of ${plain(user)} change: ${what}, ${after.length} in all.`
}

export function passwordSummary({ user, gone, change }: PasswordDifference): string {
  const name = plain(user)
  if (gone) {
    return `the password of ${name} is locked, because the user is no longer in the config; the account stays.`
  }
  if (change === 'removed') return `the password of ${name} is locked.`
  return `the password of ${name} ${change === 'added' ? 'is set' : 'changes'}.`
}

/** Of all users, as there is one account that they lead to. */
export function keysOf(config: Config): readonly string[] {
  return (config.passwd?.users ?? []).flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys)
}

const userOf = (config: Config, user: string): User | undefined =>
  config.passwd?.users?.find(({ name }) => name === user)

function without(some: readonly string[], others: readonly string[]): number {
  const known = new Set(others)
  return some.filter((one) => !known.has(one)).length
}
