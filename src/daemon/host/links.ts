import { HostFailure } from './host-failure.ts'

/** As many links as Linux itself follows on one way. */
const mostLinks = 40

export const isTrusted = (uid: number): boolean => uid === 0 || uid === process.geteuid?.()

/** Counts the links on one way, and refuses those that are not to be followed. */
export class LinksOnTheWay {
  readonly #path: string
  #count = 0

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
    return target.split('/').filter((part) => part !== '' && part !== '.')
  }
}
