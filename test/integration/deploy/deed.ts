import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client'
import type { TrustCluster } from '../trust/cluster.ts'
import { transportAs } from './identities.ts'
import type { Recorded } from './recorded.ts'
import { inWords } from './recorded.ts'
import type { Stage } from './stage.ts'

/** Something that happens in a cluster, after which components have done what they do about it. */
export type Deed = (stage: Stage, cluster: TrustCluster) => Promise<void>

export const clientAs = (stage: Stage, who: string): KubeClient =>
  new KubeClient({ transport: transportAs(stage, who), clock: systemClock })

/** What somebody has asked for so far. */
export const requestsOf = (stage: Stage, user: string): Recorded[] =>
  stage.recorded().filter((request) => request.user === user)

/** Where nothing else shows it. */
export const isAsked = (stage: Stage, { time }: TrustCluster, what: string): Promise<void> =>
  time.until(what, () => stage.recorded().some((request) => inWords(request) === what))
