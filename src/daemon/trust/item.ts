import type { CertificateDelivery, TrustItem } from '../../api/trust/items.ts'
import type { NodeTrustItem, TrustedCertificate } from '../../api/kinds/node-trust.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { Json } from '@machinist/core/json'

/**
 * One item of the trust lane, as the node handles it. The lane decides when to look and when to apply; a handler knows where
 * its item is and how it is written. Handlers never run at the same time as each other, and what one throws concerns its own
 * item only: it is shown as Failed and tried again, later and later.
 */
export interface ItemHandler {
  readonly item: TrustItem
  /** The object that it comes from, as the ledger shows it. */
  readonly source: NonNullable<NodeTrustItem['source']>
  /** Whether `apply` needs the ControllerConfig itself; the lane reads it once for all handlers. */
  readonly needsPayload: boolean
  /** Paths on the machine whose change means that `look` may find something else. */
  watched(): readonly string[]
  /** What the disk holds. Called at start, after `apply`, when a watched path changed, and in the hourly sweep. */
  look(): Promise<Look>
  /** Brings the disk to what is wanted, writing only what differs, and reads it back. */
  apply(order: Order): Promise<Applied>
  /**
   * For an item that is not in the ControllerConfig itself: the digest of what the cluster gives now. Asked where no digests
   * are said: at start, for every new generation, and whenever `service-ca-rotate` becomes "true".
   */
  given?(signal: AbortSignal): Promise<string | undefined>
  /** What is there is what is wanted, whoever wrote it: from now on it is the lane's. */
  adopt?(): void
  /** Whether something there is the lane's own: only then it may be taken away again. */
  owns?(): boolean
  /** The cluster gives this item no longer: takes away what is ours of it. Without this method, it stays. */
  remove?(): Promise<Applied>
}

export interface Look {
  /** To be compared with the digest that the cluster wants; absent: nothing (usable) is there. */
  readonly digest?: string
  /** One line each in the node's ledger, also for what is not there. */
  readonly holdings: readonly Holding[]
  /** Something on this machine gives the item, too: then it is wanted, by this digest, even if the cluster does not give it. */
  readonly local?: string
  /** It is on the disk, but not in force yet: why. The item lags until a look finds no such reason. */
  readonly pending?: string
  /** It is on the disk, and could not come into force: why. The item is Failed until a look finds no such reason. */
  readonly failure?: string
  /** Since when this node requests the turn to restart its kubelet, or has it. */
  readonly restartRequestedAt?: string
  /** When the program that reads it is known to have taken it over. */
  readonly loadedAt?: string
  /** This machine has no place for it, and that is in order: why. It counts as current, and is never applied. */
  readonly inapplicable?: string
  /** What people should know about it although nothing is wrong. */
  readonly remark?: string
}

export interface Holding {
  /** The item, or a part of it such as `registry-ca/<host>`. */
  readonly name: string
  readonly paths: readonly string[]
  readonly digest?: string
  /** Of this part, where parts have digests of their own. */
  readonly wanted?: string
  readonly certificates: readonly TrustedCertificate[]
  readonly writtenAt?: string
  /** Why this part cannot become what is wanted, although others can. */
  readonly problem?: string
}

export interface Order {
  readonly wanted: string
  /** There if the handler needs it. */
  readonly payload?: ControllerConfig
  readonly signal: AbortSignal
}

export interface Applied {
  /** The holdings that were written or removed; empty if everything was there already. */
  readonly written: readonly string[]
  /** Holdings that failed, and why; worth another try, later. The others are done. */
  readonly failures?: ReadonlyMap<string, string>
}

/** What was given cannot be used, and trying again cannot help: what is on the disk stays until something else is given. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** A place in the lane's file on disk where a handler keeps what must survive a restart. Never a secret. */
export interface Notes<T extends Json> {
  read(): T | undefined
  write(note: T): Promise<void>
}

/**
 * What the config lane may know of the trust lane. Always as new as the watch of the ControllerConfig, not as the last round of
 * the lane: between a digest that is announced and a file that is written there may be a jitter, and a config's write.
 */
export interface TrustView {
  /** How certificates come to nodes, as far as the cluster has said it; before it did, what was said last, else as usual. */
  readonly delivery: CertificateDelivery
  /**
   * What the trust lane knows of a file of certificates. Undefined for a path that it has nothing to do with, and where the
   * cluster is known not to give the item: such a file is left to configs.
   */
  at(path: string): PathTrust | undefined
  /** Calls back after the delivery, or anything that `at` tells, has changed. */
  subscribe(changed: () => void): void
  /** Resolves when all of this is at least as new as the cluster is now; a config that is applied then is no newer. */
  caughtUp(signal: AbortSignal): Promise<void>
}

export interface PathTrust {
  /** Digest of the file that the cluster wants; absent: it has yet to be read. */
  readonly wanted?: string
}
