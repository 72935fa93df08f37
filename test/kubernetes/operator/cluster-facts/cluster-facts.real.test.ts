import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { clusterFactsCases } from '../../../integration/operator/cluster-facts/cases.ts'

await onPrivateCluster('cluster-facts controller:', clusterFactsCases)
