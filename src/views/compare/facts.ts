/** The same rotation on two clusters that differ in one thing: how certificates come to nodes. All of it was observed. */
export interface Comparison {
  readonly pools: readonly ComparedPool[]
  /** How many times faster than usual waits were over. */
  readonly speed: number
  readonly rendered: Rotation
  readonly direct: Rotation
}

export interface ComparedPool {
  readonly name: string
  readonly nodes: readonly string[]
  readonly paused: boolean
}

/** What came of one rotation of the signer. */
export interface Rotation {
  /** The CA that was made; absent: none was. */
  readonly authority?: Authority
  readonly issuerOnly: IssuerOnly
  readonly newConfigs: readonly NewConfig[]
  /** How often ControllerConfig was written, its status, too: each time it has another resourceVersion. */
  readonly controllerConfigWrites: number
  readonly evictions: number
  readonly nodes: readonly NodeRotation[]
  /** What was waited for in vain. */
  readonly missed?: string
  readonly end: RotationEnd
}

/** How far the rotation came when it could go on: all must trust a new CA before it signs and an old one goes. */
export interface RotationEnd {
  /** `Preparing`, `Completed`…: what the TrustRotation says. */
  readonly phase: string
  /** Nodes that it waits for. */
  readonly laggards: readonly string[]
  /** How many nodes still let in whoever the old CA vouches for. */
  readonly holdingOld: number
}

export interface Authority {
  readonly commonName: string
  readonly fingerprint: string
}

/** What happened when nothing but the annotation with the issuer was taken from the signer. */
export interface IssuerOnly {
  /** How long somebody looked. */
  readonly seconds: number
  readonly rotated: boolean
  /** Files that were written on all nodes meanwhile. */
  readonly filesWritten: number
}

/** A rendered config that was not there before. */
export interface NewConfig {
  readonly name: string
  readonly pool: string
  /** How much it holds. */
  readonly files: number
  readonly units: number
}

export interface NodeRotation {
  readonly name: string
  readonly pool: string
  readonly paused: boolean
  /** Whether its kubelet lets in whoever the new CA vouches for. */
  readonly trusts: boolean
  /** From the trigger until the file with the new CA was written. */
  readonly seconds?: number
  /** Files of the machine that are others than before. */
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** Files in which the daemon notes what it did. */
  readonly notes: readonly string[]
  readonly services: ServiceActions
  readonly cordons: number
  readonly drains: number
  /** How often its daemon said that it had brought something to the disk. */
  readonly syncs: number
  readonly requests: Requests
  readonly log: readonly NodeLine[]
}

/** What was asked of systemd and of the machine. */
export interface ServiceActions {
  readonly daemonReloads: number
  /** `restart crio.service`, `reload crio.service`. */
  readonly services: readonly string[]
  readonly reboots: number
}

export interface Requests {
  readonly reads: number
  readonly writes: number
}

/** A line of the daemon's log, as it was written. */
export interface NodeLine {
  /** Seconds after the trigger. */
  readonly seconds: number
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}
