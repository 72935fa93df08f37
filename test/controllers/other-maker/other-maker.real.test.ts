import { onPrivateCluster } from '../../support/real-cluster.ts'
import { otherMakerCases } from './cases.ts'

await onPrivateCluster('a cluster that MCO runs', otherMakerCases)
