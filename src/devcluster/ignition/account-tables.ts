import type { HostFiles } from '../../daemon/host/host.ts'
import { loadTextFile } from '../../daemon/host/simulated/state-file.ts'

type Row = string[]

/** The lines of a file such as /etc/passwd. */
class AccountTable {
  readonly #path: string
  readonly #mode: number
  rows: Row[]

  private constructor(path: string, mode: number, rows: Row[]) {
    this.#path = path
    this.#mode = mode
    this.rows = rows
  }

  static async load(files: HostFiles, path: string, mode: number): Promise<AccountTable> {
    const text = (await loadTextFile(files, path)) ?? ''
    const lines = text.split('\n').filter((line) => line !== '')
    return new AccountTable(
      path,
      mode,
      lines.map((line) => line.split(':')),
    )
  }

  find(name: string): Row | undefined {
    return this.rows.find(([first]) => first === name)
  }

  remove(name: string): void {
    this.rows = this.rows.filter(([first]) => first !== name)
  }

  /** The ids in the third column. */
  ids(): Set<number> {
    return new Set(this.rows.map((row) => Number(row[2])))
  }

  async save(files: HostFiles): Promise<void> {
    const text = this.rows.map((row) => `${row.join(':')}\n`).join('')
    const content = Buffer.from(text)
    await files.write(this.#path, { content, mode: this.#mode, uid: 0, gid: 0 })
  }
}

export interface AccountTables {
  readonly users: AccountTable
  readonly groups: AccountTable
  readonly passwords: AccountTable
}

export async function loadAccounts(files: HostFiles): Promise<AccountTables> {
  return {
    users: await AccountTable.load(files, '/etc/passwd', 0o644),
    groups: await AccountTable.load(files, '/etc/group', 0o644),
    passwords: await AccountTable.load(files, '/etc/shadow', 0o600),
  }
}

export async function saveAccounts(files: HostFiles, tables: AccountTables): Promise<void> {
  for (const table of [tables.groups, tables.users, tables.passwords]) await table.save(files)
}

/** The highest id plus one, or for system accounts the lowest minus one. */
export function freeId(taken: ReadonlySet<number>, isSystem = false): number {
  const [low, high] = isSystem ? [101, 999] : [1000, 60_000]
  const used = [...taken].filter((id) => id >= low && id <= high)
  if (isSystem) return Math.min(high + 1, ...used) - 1
  return Math.max(low - 1, ...used) + 1
}
