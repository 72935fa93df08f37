import { onPrivateCluster } from '../../support/real-cluster.ts'
import { poolsCases } from './cases.ts'

await onPrivateCluster("the operator's pools", poolsCases)
