import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { poolsCases } from '../../../integration/operator/pools/cases.ts'

await onPrivateCluster("the operator's pools", poolsCases)
