import type { Bundle } from '@machinist/pki/bundle'
import { bundleOf, bundlePem, readBundle, sameBundle, union } from '@machinist/pki/bundle'
import type { KeyPair } from '@machinist/pki/issue'
import type { AdminAccess } from './admin-kubeconfig.ts'
import { adminKubeconfig } from './admin-kubeconfig.ts'
import { readDurable, writeSecretFile } from './durable-file.ts'

export interface ShownOptions {
  /** What is shown from the start. */
  readonly serving: KeyPair
  /** PEM of the authority of a certificate that comes without its own. */
  readonly authority: string
  /** The administrator's, by its path. */
  readonly kubeconfig: string
  readonly access: Omit<AdminAccess, 'ca'>
  readonly present: (serving: KeyPair) => void
}

/**
 * What a server shows in handshakes, and the kubeconfig that says who vouches for it. The kubeconfig always comes first: who
 * reads it never meets a certificate that it does not explain.
 */
export class ShownIdentity {
  readonly #options: ShownOptions
  #serving: KeyPair
  #published: Bundle = new Map()
  #known: Bundle = new Map()
  #work: Promise<void> = Promise.resolve()

  private constructor(options: ShownOptions) {
    this.#options = options
    this.#serving = options.serving
  }

  /** Writes the kubeconfig. */
  static async begin(options: ShownOptions): Promise<ShownIdentity> {
    const shown = new ShownIdentity(options)
    await shown.#write(shown.#vouching(), '')
    return shown
  }

  get serving(): KeyPair {
    return this.#serving
  }

  /** PEM of the CAs by which the server is known. */
  get ca(): string {
    return bundlePem(this.#known)
  }

  /** New connections see this from now on. */
  show(serving: KeyPair): Promise<void> {
    return this.#inTurn(async () => {
      if (serving.certificate === this.#serving.certificate) return
      await this.#know(union(this.#vouching(), this.#vouching(serving)))
      this.#options.present(serving)
      this.#serving = serving
      await this.#know(this.#vouching())
    })
  }

  /** These CAs, PEM, are the ones by which clients are to know the server. */
  trust(published: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#published = readBundle(published).bundle
      await this.#know(this.#vouching())
    })
  }

  /** Whoever vouches for what is shown is among them, whatever is published. */
  #vouching(serving = this.#serving): Bundle {
    const [, ...above] = readBundle(serving.certificate).bundle.values()
    const own = above.length > 0 ? bundleOf(above) : readBundle(this.#options.authority).bundle
    return union(this.#published, own)
  }

  async #know(bundle: Bundle): Promise<void> {
    if (sameBundle(bundle, this.#known)) return
    await this.#write(bundle, await readDurable(this.#options.kubeconfig))
  }

  async #write(bundle: Bundle, before: string | undefined): Promise<void> {
    const { kubeconfig, access } = this.#options
    const text = adminKubeconfig({ ...access, ca: bundlePem(bundle) }, before)
    await writeSecretFile(kubeconfig, text)
    this.#known = bundle
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#work.then(task)
    this.#work = done.catch(() => {})
    return done
  }
}
