import { apiVersionOf } from '@machinist/core/objects/resource'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { Distribution } from '../../api/distribution.ts'
import { names } from '../../api/names.ts'
import type { Infrastructure, PlatformStatus } from '../../api/openshift-config.ts'
import { infrastructures } from '../../api/openshift-config.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'

const noPlatform = 'None'

/** `infra`, and the deprecated fields beside it. Without an Infrastructure, the platform is None. */
export function infrastructureFinding({ infrastructure, isOpenShift }: ClusterFacts): Finding {
  if (infrastructure.type === 'invalid') return { problem: infrastructure.problem }
  const infra = withPlatform(
    infrastructure.type === 'given' ? infrastructure.object : emptyInfrastructure,
  )
  return {
    spec: {
      infra,
      platform: infra.status?.platformStatus?.type?.toLowerCase(),
      etcdDiscoveryDomain: infra.status?.etcdDiscoveryDomain || undefined,
    },
    // ConfigMap machinist-cluster can contain an Infrastructure in any cluster: only the API proves OpenShift.
    ...(isOpenShift !== undefined && {
      annotations: { [ownControllerConfigAnnotations.distribution]: distribution(isOpenShift) },
    }),
  }
}

const distribution = (isOpenShift: boolean): Distribution =>
  isOpenShift ? 'openshift' : 'kubernetes'

const emptyInfrastructure: Infrastructure = {
  apiVersion: apiVersionOf(infrastructures),
  kind: infrastructures.kind,
  metadata: { name: names.clusterConfig },
  spec: { platformSpec: { type: noPlatform } },
}

/** Sets `platformStatus`, which readers expect. */
function withPlatform(infra: Infrastructure): Infrastructure {
  const { platformStatus, platform } = infra.status ?? {}
  const known: PlatformStatus = platformStatus?.type
    ? platformStatus
    : { type: (!platformStatus && platform) || noPlatform }
  return { ...infra, status: { ...infra.status, platformStatus: known } }
}
