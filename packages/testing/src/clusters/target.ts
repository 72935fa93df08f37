/** Address and administrator credentials of an API server under test. Plain data, so that it can be passed to test workers. */
export interface ConformanceTarget {
  readonly name: TargetName
  /** `https://127.0.0.1:port` */
  readonly server: string
  /** The CA of the serving certificate. */
  readonly caFile: string
  /** A bearer token with all permissions. */
  readonly token: string
  /** A kubeconfig file with that token. */
  readonly kubeconfig: string
  /** The kubectl program. */
  readonly kubectl: string
  /** Scratch directory, removed with the target. */
  readonly directory: string
}

export type TargetName = 'real' | 'embedded'

/** The reason why a target is not available. */
export interface AbsentTarget {
  readonly name: TargetName
  readonly absent: string
}

/** A target that the caller must stop. */
export interface StartedTarget {
  readonly target: ConformanceTarget
  stop(): Promise<void>
}

export function isAbsent(target: object): target is AbsentTarget {
  return 'absent' in target
}
