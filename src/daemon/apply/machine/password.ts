import type { HostAccounts } from '../../host/host.ts'

/** Ignores a user that does not exist anymore. */
export async function setPassword(
  accounts: HostAccounts,
  user: string,
  hash: string,
): Promise<void> {
  const current = await accounts.passwordHash(user)
  if (current !== undefined && current !== hash) await accounts.setPasswordHash(user, hash)
}
