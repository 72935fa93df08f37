import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { TrustCluster } from '../trust/cluster.ts'
import { transportAs } from './identities.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { formatRequest } from './recorded-request.ts'
import type { Stage } from './stage.ts'

/** Changes something in the cluster, and returns when the components have reacted. */
export type Scenario = (stage: Stage, cluster: TrustCluster) => Promise<void>

export const clientAs = (stage: Stage, who: string): KubeClient =>
  new KubeClient({ transport: transportAs(stage, who), clock: systemClock })

/** The requests of a user so far. */
export const requestsOf = (stage: Stage, user: string): RecordedRequest[] =>
  stage.recorded().filter((request) => request.user === user)

/** For reactions that are visible in the audit log only. */
export const untilRequested = (stage: Stage, { time }: TrustCluster, what: string): Promise<void> =>
  time.until(what, () => stage.recorded().some((request) => formatRequest(request) === what))
