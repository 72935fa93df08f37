import type { Cluster } from '../cluster.ts'
import type { Rotation } from './rotations.ts'
import type { Reader } from './seen-certificates.ts'
import type { TrustNode } from './trust-node.ts'

/** What everybody in one simulated world of trust shares. */
export interface Scene {
  readonly cluster: Cluster
  readonly reader: Reader
  readonly nodes: ReadonlyMap<string, TrustNode>
  readonly rotations: readonly Rotation[]
}
