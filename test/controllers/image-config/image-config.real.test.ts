import { onPrivateCluster } from '../../support/real-cluster.ts'
import { imageConfigCases } from './cases.ts'

await onPrivateCluster('what a cluster says about images,', imageConfigCases)
