import { onPrivateCluster } from '../../support/real-cluster.ts'
import { pinnedImagesCases } from './cases.ts'

await onPrivateCluster('pinned images of pools', pinnedImagesCases)
