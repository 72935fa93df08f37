/** The same rotation on two clusters that differ only in the delivery of certificates. All values are measured. */
export interface Comparison {
  readonly pools: readonly ComparedPool[]
  /** The factor by which waiting times were divided. */
  readonly speed: number
  readonly rendered: ComparedRotation
  readonly direct: ComparedRotation
}

export interface ComparedPool {
  readonly name: string
  readonly nodes: readonly string[]
  readonly paused: boolean
}

/** The result of one rotation of the signer. */
export interface ComparedRotation {
  /** The new CA; absent if none was created. */
  readonly authority?: ComparedAuthority
  readonly issuerOnly: IssuerOnly
  readonly newConfigs: readonly NewConfig[]
  /** Number of writes to ControllerConfig and its status: each one changes the resourceVersion. */
  readonly controllerConfigWrites: number
  readonly evictions: number
  readonly nodes: readonly NodeRotation[]
  /** The state that was not reached before a timeout. */
  readonly missed?: string
  readonly end: RotationEnd
}

/** The final state of the rotation. Every node must trust a new CA before it signs and the old CA is removed. */
export interface RotationEnd {
  /** The phase of the TrustRotation: `Preparing`, `Completed`… */
  readonly phase: string
  /** Nodes that it waits for. */
  readonly laggards: readonly string[]
  /** Number of nodes that still trust the old CA. */
  readonly holdingOld: number
}

export interface ComparedAuthority {
  readonly commonName: string
  readonly fingerprint: string
}

/** The effect of removing only the issuer annotation from the signer. */
export interface IssuerOnly {
  /** Duration of the observation. */
  readonly seconds: number
  readonly rotated: boolean
  /** Number of files written on all nodes in this time. */
  readonly filesWritten: number
}

/** A new rendered config. */
export interface NewConfig {
  readonly name: string
  readonly pool: string
  /** Number of files in the config. */
  readonly files: number
  readonly units: number
}

export interface NodeRotation {
  readonly name: string
  readonly pool: string
  readonly paused: boolean
  /** Whether its kubelet trusts the new CA. */
  readonly trusts: boolean
  /** From the trigger until the file with the new CA was written. */
  readonly seconds?: number
  /** Changed files of the machine. */
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** Changed state files of the daemon. */
  readonly notes: readonly string[]
  readonly services: ServiceActions
  readonly cordons: number
  readonly drains: number
  /** How often the daemon logged that it had written to the disk. */
  readonly syncs: number
  readonly requests: Requests
  readonly log: readonly NodeLine[]
}

/** Requests to systemd and to the machine. */
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

/** A log line of the daemon. */
export interface NodeLine {
  /** Seconds after the trigger. */
  readonly seconds: number
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}
