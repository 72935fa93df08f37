/** An API server under test and how its administrator reaches it. Plain data, so that it can be handed to test workers. */
export interface Target {
  readonly name: TargetName
  /** `https://127.0.0.1:port` */
  readonly server: string
  /** The CA that signed the server's certificate. */
  readonly caFile: string
  /** A bearer token that may do everything. */
  readonly token: string
  /** A kubeconfig file with that token. */
  readonly kubeconfig: string
  /** The kubectl program. */
  readonly kubectl: string
  /** Scratch directory, removed with the target. */
  readonly directory: string
}

export type TargetName = 'real' | 'embedded'

/** Why a target is not there. */
export interface Absent {
  readonly name: TargetName
  readonly absent: string
}

/** A target that was started here, and has to be stopped here. */
export interface Started {
  readonly target: Target
  stop(): Promise<void>
}

export function isAbsent(target: object): target is Absent {
  return 'absent' in target
}
