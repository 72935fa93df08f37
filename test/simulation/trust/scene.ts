import type { Cluster } from '../cluster.ts'
import type { Rotation } from './rotations.ts'
import type { CertificateReader } from './seen-certificates.ts'
import type { TrustNode } from './trust-node.ts'

/** The parts that all actors of one trust simulation share. */
export interface TrustScene {
  readonly cluster: Cluster
  readonly reader: CertificateReader
  readonly nodes: ReadonlyMap<string, TrustNode>
  readonly rotations: readonly Rotation[]
}
