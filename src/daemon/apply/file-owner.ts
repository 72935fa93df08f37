import type { File, Owner } from '@machinist/ignition/config'
import type { HostAccounts, Ownership } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'

/** Whom a file shall belong to on this machine: root, unless it says otherwise by number or by name. */
export async function ownerOf(accounts: HostAccounts, file: File): Promise<Ownership> {
  const { path, user, group } = file
  const uid = await idOf(user, `${path} shall belong to the user`, async (name) => {
    const account = await accounts.user(name)
    return account?.uid
  })
  const gid = await idOf(group, `${path} shall belong to the group`, (name) => accounts.group(name))
  return { uid, gid }
}

async function idOf(
  owner: Owner | undefined,
  what: string,
  named: (name: string) => Promise<number | undefined>,
): Promise<number> {
  if (owner?.id !== undefined) return owner.id
  if (!owner?.name) return 0
  const id = await named(owner.name)
  if (id !== undefined) return id
  throw new HostFailure(`${what} ${owner.name}, which this machine does not have`, 'ENOENT')
}
