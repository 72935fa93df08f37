import type { Config, User } from '@machinist/ignition/spec/config'
import { plain } from '@machinist/core/quoted'
import { byText, count } from '../model/wording.ts'

/** The only account that a config can change on a running node. */
export const coreUser = 'core'

/** A locked password. Also set for a user that is no longer in the config. */
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

/** The hash for /etc/shadow. */
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
  const [added, removed] = [countMissing(after, before), countMissing(before, after)]
  const parts = [
    ...(added > 0 ? [`${count(added, 'key')} added`] : []),
    ...(removed > 0 ? [`${count(removed, 'key')} removed`] : []),
  ]
  const what = parts.length > 0 ? parts.join(', ') : 'the order changes'
  return `SSH keys of ${plain(user)} change: ${what}, ${after.length} in total.`
}

export function passwordSummary({ user, gone, change }: PasswordDifference): string {
  const name = plain(user)
  if (gone) {
    return `the password of ${name} is locked, because the user is no longer in the config; the account is kept.`
  }
  if (change === 'removed') return `the password of ${name} is locked.`
  return `the password of ${name} ${change === 'added' ? 'is set' : 'changes'}.`
}

/** The keys of all users, because all of them belong to one account. */
export function keysOf(config: Config): readonly string[] {
  return (config.passwd?.users ?? []).flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys)
}

const userOf = (config: Config, user: string): User | undefined =>
  config.passwd?.users?.find(({ name }) => name === user)

function countMissing(some: readonly string[], others: readonly string[]): number {
  const known = new Set(others)
  return some.filter((one) => !known.has(one)).length
}
