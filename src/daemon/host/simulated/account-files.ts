import type { Account, HostAccounts, HostFiles } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import { accountIn, groupIn, secretIn } from '../linux/account-lines.ts'
import { loadTextFile } from './state-file.ts'

const shadow = '/etc/shadow'

/** The users and groups of /etc/passwd, /etc/group and /etc/shadow. */
export class AccountFiles implements HostAccounts {
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async user(name: string): Promise<Account | undefined> {
    return accountIn(await this.#text('/etc/passwd'), name)
  }

  async group(name: string): Promise<number | undefined> {
    return groupIn(await this.#text('/etc/group'), name)
  }

  async passwordHash(user: string): Promise<string | undefined> {
    return secretIn(await this.#text(shadow), user)
  }

  async setPasswordHash(user: string, hash: string): Promise<void> {
    // A hash that ends the field or the line could create another account.
    if (/[:\n\r\0]/.test(hash)) {
      throw new HostFailure(`the password hash of user ${user} is invalid`, 'EINVAL')
    }
    const lines = (await this.#text(shadow)).split('\n')
    const at = lines.findIndex((line) => line.startsWith(`${user}:`))
    if (at === -1) throw new HostFailure(`user ${user} is not in ${shadow}`, 'ENOENT')
    const [, before, ...rest] = lines[at]!.split(':')
    if (before === hash) return
    lines[at] = [user, hash, ...rest].join(':')
    await this.#files.write(shadow, {
      content: Buffer.from(lines.join('\n')),
      mode: 0o600,
      uid: 0,
      gid: 0,
    })
  }

  async #text(path: string): Promise<string> {
    return (await loadTextFile(this.#files, path)) ?? ''
  }
}
