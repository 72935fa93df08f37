import type { CertificateDelivery } from '../../../api/trust/items.ts'
import { isSharedFile, isTrustLaneFile } from '../../../planner/differences/certificate-files.ts'
import type { SharedFiles } from '../../verify/shared-files.ts'
import { maxFileBytes } from '../../verify/compare-file.ts'
import type { HostFiles } from '../../host/host.ts'
import { SerialQueue } from '../../host/serial-queue.ts'
import type { TrustView } from './trust-view.ts'
import { staysOnDisk } from './certificate-rule.ts'

/** The certificate files that either MachineConfigs or the trust lane manage. The delivery decides which, and may change at any time. */
export class CertificateFiles implements SharedFiles {
  readonly #files: HostFiles
  readonly #view: Pick<TrustView, 'delivery' | 'at'>
  readonly #writers = new SerialQueue()

  constructor(files: HostFiles, view: Pick<TrustView, 'delivery' | 'at'>) {
    this.#files = files
    this.#view = view
  }

  get delivery(): CertificateDelivery {
    return this.#view.delivery
  }

  /** Whether MachineConfigs do not manage the path now. */
  isOfTrustLane(path: string): boolean {
    return isTrustLaneFile(path, this.delivery)
  }

  /** Whether the file stays although a config replaces or removes it. */
  async keepsCurrent(
    path: string,
    replacement?: () => Uint8Array | Promise<Uint8Array>,
  ): Promise<boolean> {
    const known = this.#view.at(path)
    const isShared = isSharedFile(path)
    if (!isShared && known?.desired === undefined) return false
    const isFile = (await this.#files.stat(path))?.type === 'file'
    if (!isShared) return isFile
    return staysOnDisk({
      delivery: this.delivery,
      desired: known ? (known.desired ?? 'unknown') : 'nothing',
      disk: isFile ? await this.#files.read(path, maxFileBytes) : undefined,
      replacement: await replacement?.(),
    })
  }

  /** Runs `work` while no other writer changes these files, so that nothing happens between a read and a write. */
  runExclusive<T>(path: string, work: () => Promise<T>): Promise<T> {
    return isSharedFile(path) ? this.#writers.run(work) : work()
  }
}
