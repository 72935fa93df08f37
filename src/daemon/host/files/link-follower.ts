import { HostFailure } from '../host-failure.ts'
import { codeOf, isAbsent } from './system-errors.ts'

/** The limit of Linux for one path. */
const maxLinks = 40

export const isTrustedOwner = (uid: number): boolean => uid === 0 || uid === process.geteuid?.()

/** Counts the links in one path, and refuses links that must not be followed. */
export class LinkFollower {
  readonly #path: string
  #count = 0
  #last: { readonly link: string; readonly target: string } | undefined

  constructor(path: string) {
    this.#path = path
  }

  /**
   * The parts of a link's target; `..` may be among them. An ordinary user who can create links in a directory could redirect
   * what root does, so only links of root and of the current user are followed.
   */
  follow(link: string, target: string, owner: number): string[] {
    if (++this.#count > maxLinks) {
      throw new HostFailure(`${this.#path}: too many symbolic links in the path`, 'ELOOP')
    }
    if (!isTrustedOwner(owner)) {
      const problem = `${link} is a symbolic link that user ${owner} can change, so it is not followed`
      throw new HostFailure(`${this.#path}: ${problem}`, 'EACCES')
    }
    this.#last = { link, target }
    return target.split('/').filter((part) => part !== '' && part !== '.')
  }

  /** Adds the last link to an error about a missing directory: the given path does not show which directory is missing. */
  explain(missing: string, error: unknown): unknown {
    if (!this.#last || !isAbsent(error)) return error
    const { link, target } = this.#last
    const problem = `${link} is a symbolic link to ${target}, and ${missing} is not a directory`
    return new HostFailure(`${this.#path}: ${problem}`, codeOf(error))
  }
}
