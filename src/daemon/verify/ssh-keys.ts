import type { Config } from '@machinist/ignition/spec/config'

/** The authorized keys file. It holds the keys of all users, because they all belong to one account. */
export function authorizedKeysText(config: Config): string {
  const users = config.passwd?.users ?? []
  const keys = users.flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys)
  return keys.map((key) => `${key}\n`).join('')
}
