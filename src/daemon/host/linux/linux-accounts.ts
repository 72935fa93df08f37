import { HostFailure } from '../host-failure.ts'
import type { Account, HostAccounts, HostFiles } from '../host.ts'
import { accountIn, groupIn, secretIn } from './account-lines.ts'
import type { Runner } from './runner.ts'

/** The users and groups of a machine: of its files, else of whatever else it asks for names. */
export class LinuxAccounts implements HostAccounts {
  readonly #files: HostFiles
  readonly #runner: Runner

  constructor(files: HostFiles, runner: Runner) {
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
    if (!nameOf.test(user)) return undefined
    const shadowed = secretIn(await this.#text('/etc/shadow'), user)
    if (shadowed !== undefined) return shadowed
    const plain = secretIn(await this.#text('/etc/passwd'), user)
    // The file that should hold it does not: nobody can log in with a password.
    return plain === 'x' ? '*' : plain
  }

  /** The hash goes through a pipe: arguments are for everybody on the machine to read. */
  async setPasswordHash(user: string, hash: string): Promise<void> {
    if (!nameOf.test(user)) throw noUser(user)
    if (!hashOf.test(hash)) {
      throw new HostFailure(
        `the password hash for ${user} has characters that no hash has`,
        'EINVAL',
      )
    }
    if ((await this.passwordHash(user)) === undefined) throw noUser(user)
    const input = `${user}:${hash}\n`
    const { code } = await this.#runner.run({ program: 'chpasswd', args: ['-e'], input })
    // What it complains about may be what it read.
    if (code === 0 && (await this.passwordHash(user)) === hash) return
    throw new HostFailure(`chpasswd did not set the password of ${user}`, `exit ${code}`)
  }

  async #find<T>(
    name: string,
    database: 'passwd' | 'group',
    read: (text: string, name: string) => T | undefined,
  ): Promise<T | undefined> {
    if (!nameOf.test(name)) return undefined
    const found = read(await this.#text(`/etc/${database}`), name)
    if (found !== undefined) return found
    // It also takes a number for a name: what it finds then has another name, and is not read.
    const { code, output } = await this.#asked(['--', database, name])
    return code === 0 ? read(output, name) : undefined
  }

  async #asked(args: readonly string[]): Promise<{ code: number; output: string }> {
    try {
      return await this.#runner.run({ program: 'getent', args, limitMs: 15_000 })
    } catch (error) {
      // Without it the files are all there is.
      if (error instanceof HostFailure && error.code === 'ENOENT') return { code: 2, output: '' }
      throw error
    }
  }

  async #text(path: string): Promise<string> {
    if ((await this.#files.look(path)) === undefined) return ''
    return Buffer.from(await this.#files.read(path)).toString()
  }
}

/** Whatever would break the line that it stands in, or be an option, is no name. */
const nameOf = /^[^\s:,/-][^\s:,/]{0,255}$/

const hashOf = /^[\x21-\x39\x3b-\x7e]*$/

const noUser = (user: string): HostFailure =>
  new HostFailure(`this machine has no user ${JSON.stringify(user)}`, 'ENOENT')
