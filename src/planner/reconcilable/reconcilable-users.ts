import type { Config, User } from '@machinist/ignition/spec/config'
import { sameConfig } from '@machinist/ignition/equality'
import { plain } from '@machinist/core/quoted'
import type { Release } from '../../api/validation/extensions.ts'
import { coreUser } from '../differences/users.ts'
import { byText, listed } from '../model/wording.ts'

const section = 'ignition passwd user section contains unsupported changes'

/** Reasons against changes of users and groups. Unchanged sections are not checked. */
export function userReasons(old: Config, now: Config, release: Release): string[] {
  return [
    ...(sameSorted(old, now, 'groups') ? [] : ['ignition passwd groups section contains changes']),
    ...(sameSorted(old, now, 'users')
      ? []
      : [...changedUsers(old.passwd?.users ?? [], now.passwd?.users ?? [], release)]),
  ]
}

function* changedUsers(
  old: readonly User[],
  now: readonly User[],
  release: Release,
): Iterable<string> {
  const others = now.filter(({ name }) => name !== coreUser)
  for (const { name } of others) {
    yield `${section}: non-core user ${plain(name)}; user must be core`
  }
  const core = now.find(({ name }) => name === coreUser)
  if (core) {
    yield* coreReasons(core, release)
  } else if (release === '4.12' && old.length > 0) {
    yield `${section}: user core may not be deleted`
  }
}

function* coreReasons(core: User, release: Release): Iterable<string> {
  const { name: _, sshAuthorizedKeys = [], passwordHash, ...others } = core
  const hashed = passwordHash !== undefined && passwordHash !== ''
  const set = Object.entries(others)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([field]) => field)
  if (release === '4.12') {
    if (hashed) set.push('passwordHash')
    if (set.length > 0) yield `${section}: non-sshKey changes (${listed(set.sort(byText), 20)})`
  } else if (set.length > 0) {
    yield `${section}: changes other than SSH keys and password hash are not reconcilable (${listed(set.sort(byText), 20)})`
  }
  if (sshAuthorizedKeys.length === 0 && (!hashed || release === '4.12')) {
    const or = release === '4.12' ? '' : ' or a password hash'
    yield `${section}: user must be core and have 1 or more sshKeys${or}`
  }
  // These characters would end an entry of /etc/shadow.
  if (hashed && /[:\p{Cc}]/u.test(passwordHash)) {
    yield `${section}: the password hash of core contains invalid characters`
  }
}

function sameSorted(old: Config, now: Config, part: 'users' | 'groups'): boolean {
  const only = ({ passwd }: Config): Config => ({
    ignition: { version: '3.5.0' },
    passwd: { [part]: [...(passwd?.[part] ?? [])].sort((a, b) => byText(a.name, b.name)) },
  })
  return sameConfig(only(old), only(now))
}
