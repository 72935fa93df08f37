import type { File, Owner } from '@machinist/ignition/spec/config'
import type { HostAccounts, Ownership } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'

/** The owner of a file on this machine, by id or name; root if the config sets none. */
export async function resolveFileOwner(accounts: HostAccounts, file: File): Promise<Ownership> {
  const { path, user, group } = file
  const uid = await resolveId(user, `${path} must belong to user`, async (name) => {
    const account = await accounts.user(name)
    return account?.uid
  })
  const gid = await resolveId(group, `${path} must belong to group`, (name) => accounts.group(name))
  return { uid, gid }
}

async function resolveId(
  owner: Owner | undefined,
  what: string,
  lookup: (name: string) => Promise<number | undefined>,
): Promise<number> {
  if (owner?.id !== undefined) return owner.id
  if (!owner?.name) return 0
  const id = await lookup(owner.name)
  if (id !== undefined) return id
  throw new HostFailure(`${what} ${owner.name}, which does not exist on this machine`, 'ENOENT')
}
