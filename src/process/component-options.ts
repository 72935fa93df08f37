import type { Address } from './pages.ts'

/** Options of every component with leader election. */
export interface ComponentOptions extends PageOptions {
  readonly kubeconfig?: string
  readonly namespace: string
  readonly leaderElection: boolean
  readonly leaseSeconds: number
}

/** Where a component serves health and metrics. */
export interface PageOptions {
  readonly metricsListen?: Address
  readonly healthListen?: Address
  readonly secureMetrics?: SecureMetrics
}

/** A directory with a certificate, or true for a self-signed one. */
export type SecureMetrics = string | true
