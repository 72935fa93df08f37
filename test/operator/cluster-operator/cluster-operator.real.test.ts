import { onPrivateCluster } from '../../support/real-cluster.ts'
import { clusterOperatorCases } from './cases.ts'

await onPrivateCluster('the ClusterOperator', clusterOperatorCases)
