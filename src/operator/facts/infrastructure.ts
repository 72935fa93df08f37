import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { Distribution } from '../../api/distribution.ts'
import { names } from '../../api/names.ts'
import type { Infrastructure, PlatformStatus } from '../../api/openshift-config.ts'
import { infrastructures } from '../../api/openshift-config.ts'
import { apiVersionOf } from '@machinist/core/resource'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'

const noPlatform = 'None'

/** infra, and what older readers take from beside it. A cluster that nobody describes has no platform. */
export function infrastructureFinding({ infrastructure, isOpenShift }: ClusterFacts): Finding {
  if (infrastructure.is === 'bad') return { problem: infrastructure.problem }
  const infra = withPlatform(infrastructure.is === 'given' ? infrastructure.object : unknownCluster)
  return {
    spec: {
      infra,
      platform: infra.status?.platformStatus?.type?.toLowerCase(),
      etcdDiscoveryDomain: infra.status?.etcdDiscoveryDomain || undefined,
    },
    // The ConfigMap machinist-cluster can describe an Infrastructure on any cluster: only the API proves OpenShift.
    ...(isOpenShift !== undefined && {
      annotations: { [ownControllerConfigAnnotations.distribution]: distribution(isOpenShift) },
    }),
  }
}

const distribution = (isOpenShift: boolean): Distribution =>
  isOpenShift ? 'openshift' : 'kubernetes'

const unknownCluster: Infrastructure = {
  apiVersion: apiVersionOf(infrastructures),
  kind: infrastructures.kind,
  metadata: { name: names.clusterConfig },
  spec: { platformSpec: { type: noPlatform } },
}

/** The platform is always where readers look for it. */
function withPlatform(infra: Infrastructure): Infrastructure {
  const { platformStatus, platform } = infra.status ?? {}
  const known: PlatformStatus = platformStatus?.type
    ? platformStatus
    : { type: (!platformStatus && platform) || noPlatform }
  return { ...infra, status: { ...infra.status, platformStatus: known } }
}
