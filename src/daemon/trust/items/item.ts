import type { Json } from '@machinist/core/encoding/json'
import type { TrustItem } from '../../../api/trust/items.ts'
import type { NodeTrustItem, TrustedCertificate } from '../../../api/kinds/node-trust.ts'
import type { ControllerConfig } from '../../../api/kinds/resources.ts'

/**
 * Handles one item of the trust lane. The lane decides when to observe and when to apply; a handler knows where its item is on
 * disk and how it is written. Handlers never run concurrently. An error affects only the item of its handler: the item is
 * Failed, and retried with back-off.
 */
export interface ItemHandler {
  readonly item: TrustItem
  /** The object that the item comes from, as NodeTrust reports it. */
  readonly source: NonNullable<NodeTrustItem['source']>
  /** Whether `apply` needs the whole ControllerConfig; the lane fetches it once for all handlers. */
  readonly needsPayload: boolean
  /** Paths whose change may change the result of `observe`. */
  watched(): readonly string[]
  /** Reads the item from disk: at start, after `apply`, when a watched path changed, and in the hourly sweep. */
  observe(): Promise<ObservedItem>
  /** Writes what differs from the desired content, and reads it back. */
  apply(request: ApplyRequest): Promise<ApplyResult>
  /**
   * The digest of the item in its source, for an item that is not part of the ControllerConfig. Called if the ControllerConfig
   * has no digests annotation: at start, for every new generation, and whenever `service-ca-rotate` becomes "true".
   */
  sourceDigest?(signal: AbortSignal): Promise<string | undefined>
  /** Takes ownership of content that matches the desired one, whichever writer wrote it. */
  adopt?(): void
  /** Whether the lane owns content on disk: only such content may be removed. */
  owns?(): boolean
  /** Removes what the lane owns of an item that the cluster no longer specifies. Without this method, it stays. */
  remove?(): Promise<ApplyResult>
}

export interface ObservedItem {
  /** Compared with the desired digest; absent: the disk contains nothing usable. */
  readonly digest?: string
  /** Each is one line of NodeTrust, also if it is absent from the disk. */
  readonly holdings: readonly Holding[]
  /** The desired digest if only a source on this machine specifies the item, and the cluster does not. */
  readonly local?: string
  /** Why the content on disk is not in effect yet. The item is Lagging while this is set. */
  readonly pending?: string
  /** Why the content on disk could not take effect. The item is Failed while this is set. */
  readonly failure?: string
  /** When this node requested the turn to restart its kubelet, while it waits for the turn or has it. */
  readonly restartRequestedAt?: string
  /** When the program that reads the content is known to have loaded it. */
  readonly loadedAt?: string
  /** Why the item does not apply to this machine. It counts as current, and is never applied. */
  readonly inapplicable?: string
  /** A note for users on an item without a problem. */
  readonly remark?: string
}

export interface Holding {
  /** The item, or a part of it such as `registry-ca/<host>`. */
  readonly name: string
  readonly paths: readonly string[]
  readonly digest?: string
  /** The desired digest of this part, if parts have digests of their own. */
  readonly desired?: string
  readonly certificates: readonly TrustedCertificate[]
  readonly writtenAt?: string
  /** Why this part cannot be delivered, although others can. */
  readonly problem?: string
}

export interface ApplyRequest {
  readonly desired: string
  /** Set if the handler needs it. */
  readonly payload?: ControllerConfig
  readonly signal: AbortSignal
}

export interface ApplyResult {
  /** The holdings that were written or removed; empty if everything was up to date. */
  readonly written: readonly string[]
  /** Holdings that failed, with the reason; they are retried later. */
  readonly failures?: ReadonlyMap<string, string>
}

/** The source is unusable, and a retry cannot help: the disk keeps its content until the source changes. */
export class RefusedInput extends Error {
  override readonly name = 'RefusedInput'
}

/** State of a handler that must survive a restart, stored in the ledger. Never a secret. */
export interface ItemNotes<T extends Json> {
  read(): T | undefined
  write(note: T): Promise<void>
}
