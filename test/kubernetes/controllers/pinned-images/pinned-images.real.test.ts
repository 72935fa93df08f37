import { onPrivateCluster } from '@machinist/testing/real-cluster'
import { pinnedImagesCases } from '../../../integration/controllers/pinned-images/cases.ts'

await onPrivateCluster('pinned images of pools', pinnedImagesCases)
