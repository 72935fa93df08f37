import type { Config } from '@machinist/ignition/config'

/** The file of authorized keys. Of all users: there is one account that they lead to. */
export function keysText(config: Config): string {
  const users = config.passwd?.users ?? []
  const keys = users.flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys)
  return keys.map((key) => `${key}\n`).join('')
}
