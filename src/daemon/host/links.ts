import { HostFailure } from './host-failure.ts'
import { codeOf, isAbsent } from './system-errors.ts'

/** As many links as Linux itself follows on one way. */
const mostLinks = 40

export const isTrusted = (uid: number): boolean => uid === 0 || uid === process.geteuid?.()

/** Counts the links on one way, and refuses those that are not to be followed. */
export class LinksOnTheWay {
  readonly #path: string
  #count = 0
  #last: { readonly place: string; readonly target: string } | undefined

  constructor(path: string) {
    this.#path = path
  }

  /**
   * The parts of a link's target, in which `..` means something. Who may make links in some directory that we pass could
   * lead what root does anywhere, so only root's links count, and our own.
   */
  follow(place: string, target: string, owner: number): string[] {
    if (++this.#count > mostLinks) {
      throw new HostFailure(`${this.#path}: too many symbolic links on the way`, 'ELOOP')
    }
    if (!isTrusted(owner)) {
      const problem = `${place} is a symbolic link that the user ${owner} can change, so it is not followed`
      throw new HostFailure(`${this.#path}: ${problem}`, 'EACCES')
    }
    this.#last = { place, target }
    return target.split('/').filter((part) => part !== '' && part !== '.')
  }

  /** After a link, nobody would guess which place on the way is missing. */
  lost(place: string, error: unknown): unknown {
    if (!this.#last || !isAbsent(error)) return error
    const { place: link, target } = this.#last
    const problem = `${link} is a symbolic link to ${target}, and ${place} is not a directory`
    return new HostFailure(`${this.#path}: ${problem}`, codeOf(error))
  }
}
