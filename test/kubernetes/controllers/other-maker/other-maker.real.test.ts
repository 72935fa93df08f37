import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { otherMakerCases } from '../../../integration/controllers/other-maker/cases.ts'

await onPrivateCluster('a cluster that MCO runs', otherMakerCases)
