import type { Config, Group, User } from '@machinist/ignition/spec/config'
import type { HostAccounts, HostFiles } from '../../daemon/host/host.ts'
import { parentOf } from '../../daemon/host/paths.ts'
import { makeDirectoriesAbove } from '../../daemon/trust/items/trust-file.ts'
import type { AccountTables } from './account-tables.ts'
import { freeId, loadAccounts, saveAccounts } from './account-tables.ts'
import type { EntryHost } from './entries.ts'
import { removeTree } from './entries.ts'

const lockedPassword = '*'

/** Creates, changes and removes groups and users, and writes SSH keys, as the commands do that Ignition runs. */
export async function createAccounts(
  { files, accounts }: EntryHost,
  { passwd = {} }: Config,
): Promise<void> {
  const { groups = [], users = [] } = passwd
  const tables = await loadAccounts(files)
  for (const group of groups) ensureGroup(tables, group)
  for (const user of users) {
    const home = ensureUser(tables, user)
    await saveAccounts(files, tables)
    if (home?.removed !== undefined) await removeTree(files, home.removed)
    if (home?.made !== undefined) await makeHome(files, accounts, user, home.made)
    if (user.shouldExist !== false) await writeKeys(files, accounts, user)
  }
  if (groups.length > 0) await saveAccounts(files, tables)
}

function ensureGroup({ groups }: AccountTables, group: Group): void {
  const { name, gid, system, shouldExist = true } = group
  const exists = groups.find(name) !== undefined
  if (!shouldExist) return groups.remove(name)
  if (exists) throw new Error(`Ignition: group ${name} exists`)
  groups.rows.push([name, 'x', String(gid ?? freeId(groups.ids(), system)), ''])
}

interface HomeChange {
  readonly made?: string
  readonly removed?: string
}

function ensureUser(tables: AccountTables, user: User): HomeChange | undefined {
  const { name, shouldExist = true } = user
  const row = tables.users.find(name)
  if (shouldExist) return row ? changeUser(tables, user, row) : addUser(tables, user)
  if (!row) return undefined
  tables.users.remove(name)
  tables.passwords.remove(name)
  if (tables.groups.find(name)?.[2] === row[3]) tables.groups.remove(name)
  for (const group of tables.groups.rows) group[3] = members(group).filter(other(name)).join(',')
  return { removed: row[5]! }
}

function addUser(tables: AccountTables, user: User): HomeChange | undefined {
  const { name, gecos = '', homeDir = `/home/${name}`, shell = '/bin/sh' } = user
  const uid = user.uid ?? freeId(tables.users.ids(), user.system)
  const gid = primaryGroup(tables, user, uid)
  tables.users.rows.push([name, 'x', String(uid), String(gid), gecos, homeDir, shell])
  const dates = user.system ? ['', '', ''] : ['0', '99999', '7']
  const password = user.passwordHash || lockedPassword
  tables.passwords.rows.push([name, password, '20000', ...dates, '', '', ''])
  joinGroups(tables, user)
  return user.noCreateHome ? undefined : { made: homeDir }
}

/** Like useradd with USERGROUPS_ENAB: a group of the same name, with the same id if it is free. */
function primaryGroup({ groups }: AccountTables, user: User, uid: number): number {
  if (user.primaryGroup) return groupId(groups, user.primaryGroup)
  if (user.noUserGroup) return 100
  if (groups.find(user.name)) throw new Error(`Ignition: group ${user.name} exists`)
  const gid = groups.ids().has(uid) ? freeId(groups.ids(), user.system) : uid
  groups.rows.push([user.name, 'x', String(gid), ''])
  return gid
}

function groupId(groups: AccountTables['groups'], nameOrId: string): number {
  const found = groups.rows.find(([name, , id]) => name === nameOrId || id === nameOrId)
  if (!found) throw new Error(`Ignition: group ${nameOrId} does not exist`)
  return Number(found[2])
}

function changeUser(tables: AccountTables, user: User, row: string[]): undefined {
  const { uid, gecos, homeDir, shell, primaryGroup: group, passwordHash } = user
  if (uid !== undefined) row[2] = String(uid)
  if (group) row[3] = String(groupId(tables.groups, group))
  if (gecos) row[4] = gecos
  if (homeDir) row[5] = homeDir
  if (shell) row[6] = shell
  const password = tables.passwords.find(user.name)
  if (password && passwordHash !== undefined) password[1] = passwordHash || lockedPassword
  if (user.groups?.length) {
    for (const each of tables.groups.rows)
      each[3] = members(each).filter(other(user.name)).join(',')
    joinGroups(tables, user)
  }
}

function joinGroups({ groups }: AccountTables, { name, groups: joined = [] }: User): void {
  for (const group of joined) {
    const row = groups.find(group)
    if (!row) throw new Error(`Ignition: group ${group} does not exist`)
    row[3] = [...members(row), name].join(',')
  }
}

const members = (row: readonly string[]): string[] => (row[3] ? row[3].split(',') : [])
const other = (name: string) => (each: string) => each !== name

async function makeHome(
  files: HostFiles,
  accounts: HostAccounts,
  { name }: User,
  home: string,
): Promise<void> {
  const account = await accounts.user(name)
  if (!account || (await files.stat(home))) return
  await makeDirectoriesAbove(files, home)
  await files.makeDirectory(home, { mode: 0o700, uid: account.uid, gid: account.gid })
}

async function writeKeys(
  files: HostFiles,
  accounts: HostAccounts,
  { name, sshAuthorizedKeys: keys = [] }: User,
): Promise<void> {
  const account = await accounts.user(name)
  if (keys.length === 0 || !account) return
  const { uid, gid, home } = account
  const path = `${home}/.ssh/authorized_keys.d/ignition`
  for (const directory of [parentOf(parentOf(path)), parentOf(path)]) {
    await files.makeDirectory(directory, { mode: 0o700, uid, gid })
  }
  const content = Buffer.from(keys.map((key) => `${key}\n`).join(''))
  await files.write(path, { content, mode: 0o600, uid, gid })
}
