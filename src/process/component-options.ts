import type { Address } from './pages.ts'

/** What every component of a cluster that one of several works for can be told. */
export interface ComponentOptions {
  readonly kubeconfig?: string
  readonly namespace: string
  readonly leaderElection: boolean
  readonly leaseSeconds: number
  readonly metricsListen?: Address
  readonly healthListen?: Address
  readonly secureMetrics?: SecureMetrics
}

/** A directory with a certificate; or just so, with one of its own. */
export type SecureMetrics = string | true
