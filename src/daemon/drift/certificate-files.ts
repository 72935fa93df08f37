import type { CertificateDelivery } from '../../api/trust/items.ts'
import { changesHands, isOfTrustLane } from '../../planner/certificate-files.ts'
import type { KeptFiles } from '../apply/kept-files.ts'
import { largestFile } from '../apply/path-state.ts'
import type { HostFiles } from '../host/host.ts'
import { OneAtATime } from '../host/one-at-a-time.ts'
import type { TrustView } from '../trust/item.ts'
import { staysOnDisk } from './certificate-rule.ts'

/** The files that two look after in turn: configs, and the trust lane. Who does may change at any moment. */
export class CertificateFiles implements KeptFiles {
  readonly #files: HostFiles
  readonly #view: Pick<TrustView, 'delivery' | 'at'>
  readonly #writers = new OneAtATime()

  constructor(files: HostFiles, view: Pick<TrustView, 'delivery' | 'at'>) {
    this.#files = files
    this.#view = view
  }

  get delivery(): CertificateDelivery {
    return this.#view.delivery
  }

  /** Those that configs have nothing to say about now. */
  isOfTrustLane(path: string): boolean {
    return isOfTrustLane(path, this.delivery)
  }

  /** Whether what is there stays although a config brings something else, or takes it away. */
  async keeps(path: string, brought?: () => Uint8Array | Promise<Uint8Array>): Promise<boolean> {
    const known = this.#view.at(path)
    const isShared = changesHands(path)
    if (!isShared && known?.wanted === undefined) return false
    const isFile = (await this.#files.look(path))?.type === 'file'
    if (!isShared) return isFile
    return staysOnDisk({
      delivery: this.delivery,
      wanted: known ? (known.wanted ?? 'unknown') : 'nothing',
      disk: isFile ? await this.#files.read(path, largestFile) : undefined,
      brought: await brought?.(),
    })
  }

  /** Runs while nobody else writes one of these files: between a look and a write, nothing may come. */
  alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    return changesHands(path) ? this.#writers.run(work) : work()
  }
}
