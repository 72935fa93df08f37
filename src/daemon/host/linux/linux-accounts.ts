import { HostFailure } from '../host-failure.ts'
import type { Account, HostAccounts, HostFiles } from '../host.ts'
import { accountIn, groupIn, secretIn } from './account-lines.ts'
import type { CommandRunner } from './commands/runner.ts'

/** The users and groups of a machine: from its files, otherwise from the name service switch (`getent`). */
export class LinuxAccounts implements HostAccounts {
  readonly #files: HostFiles
  readonly #runner: CommandRunner

  constructor(files: HostFiles, runner: CommandRunner) {
    this.#files = files
    this.#runner = runner
  }

  user(name: string): Promise<Account | undefined> {
    return this.#find(name, 'passwd', accountIn)
  }

  group(name: string): Promise<number | undefined> {
    return this.#find(name, 'group', groupIn)
  }

  async passwordHash(user: string): Promise<string | undefined> {
    if (!accountName.test(user)) return undefined
    const shadowed = secretIn(await this.#text('/etc/shadow'), user)
    if (shadowed !== undefined) return shadowed
    const plain = secretIn(await this.#text('/etc/passwd'), user)
    // The hash is not in /etc/shadow either: password login is not possible.
    return plain === 'x' ? '*' : plain
  }

  /** Passes the hash through a pipe: every user of the machine can read arguments. */
  async setPasswordHash(user: string, hash: string): Promise<void> {
    if (!accountName.test(user)) throw noUser(user)
    if (!passwordHashPattern.test(hash)) {
      throw new HostFailure(
        `the password hash of user ${user} contains invalid characters`,
        'EINVAL',
      )
    }
    if ((await this.passwordHash(user)) === undefined) throw noUser(user)
    const input = `${user}:${hash}\n`
    const { code } = await this.#runner.run({ program: 'chpasswd', args: ['-e'], input })
    // Do not show its error output, which may contain the hash.
    if (code === 0 && (await this.passwordHash(user)) === hash) return
    throw new HostFailure(`chpasswd did not set the password of user ${user}`, `exit ${code}`)
  }

  async #find<T>(
    name: string,
    database: 'passwd' | 'group',
    read: (text: string, name: string) => T | undefined,
  ): Promise<T | undefined> {
    if (!accountName.test(name)) return undefined
    const found = read(await this.#text(`/etc/${database}`), name)
    if (found !== undefined) return found
    // getent also accepts an id; its result then has another name, and `read` ignores it.
    const { code, output } = await this.#getent(['--', database, name])
    return code === 0 ? read(output, name) : undefined
  }

  async #getent(args: readonly string[]): Promise<{ code: number; output: string }> {
    try {
      return await this.#runner.run({ program: 'getent', args, limitMs: 15_000 })
    } catch (error) {
      // Without getent, only the files count.
      if (error instanceof HostFailure && error.code === 'ENOENT') return { code: 2, output: '' }
      throw error
    }
  }

  async #text(path: string): Promise<string> {
    if ((await this.#files.stat(path)) === undefined) return ''
    return Buffer.from(await this.#files.read(path)).toString()
  }
}

/** Excludes names that would break a line of the file, or be an option. */
const accountName = /^[^\s:,/-][^\s:,/]{0,255}$/

const passwordHashPattern = /^[\x21-\x39\x3b-\x7e]*$/

const noUser = (user: string): HostFailure =>
  new HostFailure(`user ${JSON.stringify(user)} does not exist on this machine`, 'ENOENT')
