import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'

/** Everything that determines whether a MachineConfig gets an event. */
export interface UnselectedConfigsFacts {
  readonly machineConfig: Readonly<MachineConfig>
  readonly pools: readonly Readonly<MachineConfigPool>[]
  /** What is known from former reconciles. */
  readonly before: UnselectedConfig | undefined
  /** Milliseconds since the start of the process. */
  readonly elapsedMs: number
}

/** Contents of a MachineConfig that no pool selects. */
export interface UnselectedConfig {
  readonly digest: string
  /** Since when, in elapsed time. */
  readonly sinceMs: number
  /** Whether an event was emitted. */
  readonly isReported: boolean
}
