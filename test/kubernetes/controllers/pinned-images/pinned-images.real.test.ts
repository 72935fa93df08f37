import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { pinnedImagesCases } from '../../../integration/controllers/pinned-images/cases.ts'

await onPrivateCluster('pinned images of pools', pinnedImagesCases)
