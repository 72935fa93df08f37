import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { clusterOperatorCases } from '../../../integration/operator/cluster-operator/cases.ts'

await onPrivateCluster('the ClusterOperator', clusterOperatorCases)
