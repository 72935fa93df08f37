import type { Bundle } from '@machinist/pki/bundle'
import { bundleOf, bundlePem, readBundle, sameBundle, union } from '@machinist/pki/bundle'
import type { KeyPair } from '@machinist/pki/issue'
import type { AdminAccess } from './admin-kubeconfig.ts'
import { adminKubeconfig } from './admin-kubeconfig.ts'
import { readIfExists, writeSecretFile } from './durable-file.ts'

export interface PresentedIdentityOptions {
  /** The initial serving certificate. */
  readonly serving: KeyPair
  /** PEM of the CA, for certificates that come without their chain. */
  readonly authority: string
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly access: Omit<AdminAccess, 'ca'>
  readonly present: (serving: KeyPair) => void
}

/**
 * The current serving certificate and the kubeconfig that trusts it. The kubeconfig is always written first, so that
 * its readers can verify every certificate that the server presents.
 */
export class PresentedIdentity {
  readonly #options: PresentedIdentityOptions
  #serving: KeyPair
  #published: Bundle = new Map()
  #bundle: Bundle = new Map()
  #work: Promise<void> = Promise.resolve()

  private constructor(options: PresentedIdentityOptions) {
    this.#options = options
    this.#serving = options.serving
  }

  /** Writes the kubeconfig. */
  static async begin(options: PresentedIdentityOptions): Promise<PresentedIdentity> {
    const identity = new PresentedIdentity(options)
    await identity.#write(identity.#trusted(), '')
    return identity
  }

  get serving(): KeyPair {
    return this.#serving
  }

  /** PEM of the CAs that clients trust for this server. */
  get ca(): string {
    return bundlePem(this.#bundle)
  }

  /** Presents this certificate to new connections. */
  show(serving: KeyPair): Promise<void> {
    return this.#inTurn(async () => {
      if (serving.certificate === this.#serving.certificate) return
      await this.#publish(union(this.#trusted(), this.#trusted(serving)))
      this.#options.present(serving)
      this.#serving = serving
      await this.#publish(this.#trusted())
    })
  }

  /** Sets the CAs (PEM) that clients trust for this server. */
  trust(published: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#published = readBundle(published).bundle
      await this.#publish(this.#trusted())
    })
  }

  /** The published CAs and the CA of the current certificate. */
  #trusted(serving = this.#serving): Bundle {
    const [, ...above] = readBundle(serving.certificate).bundle.values()
    const own = above.length > 0 ? bundleOf(above) : readBundle(this.#options.authority).bundle
    return union(this.#published, own)
  }

  async #publish(bundle: Bundle): Promise<void> {
    if (sameBundle(bundle, this.#bundle)) return
    await this.#write(bundle, await readIfExists(this.#options.kubeconfig))
  }

  async #write(bundle: Bundle, before: string | undefined): Promise<void> {
    const { kubeconfig, access } = this.#options
    const text = adminKubeconfig({ ...access, ca: bundlePem(bundle) }, before)
    await writeSecretFile(kubeconfig, text)
    this.#bundle = bundle
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#work.then(task)
    this.#work = done.catch(() => {})
    return done
  }
}
