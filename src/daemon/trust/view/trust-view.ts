import type { CertificateDelivery } from '../../../api/trust/items.ts'

/**
 * The part of the trust lane that the config lane reads. It follows the watch of the ControllerConfig, not the passes of the trust
 * lane: between the change of a digest and the write of its file there may be a jitter, and a write of the config lane.
 */
export interface TrustView {
  /** How certificates are delivered: as the ControllerConfig specifies, else as last observed, else the default. */
  readonly delivery: CertificateDelivery
  /**
   * The trust of a certificate file. Undefined for a path that the trust lane does not manage, and for an item that the cluster
   * does not specify: such a file is left to MachineConfigs.
   */
  at(path: string): PathTrust | undefined
  /** `changed` is called after the delivery, or a result of `at`, has changed. Returns a function that ends the subscription. */
  subscribe(changed: () => void): () => void
  /** Resolves when the view is at least as new as the cluster is now, and so as new as any config that is applied after it. */
  catchUp(signal: AbortSignal): Promise<void>
}

export interface PathTrust {
  /** The desired digest of the file; absent: it is not known yet. */
  readonly desired?: string
}
