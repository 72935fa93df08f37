import type { HostAccounts } from '../host/host.ts'

/** A user that is gone by now has no password to change. */
export async function setPassword(
  accounts: HostAccounts,
  user: string,
  hash: string,
): Promise<void> {
  const now = await accounts.passwordHash(user)
  if (now !== undefined && now !== hash) await accounts.setPasswordHash(user, hash)
}
