import { onPrivateCluster } from '@machinist/testing/real-cluster'
import { imageConfigCases } from '../../../integration/controllers/image-config/cases.ts'

await onPrivateCluster('what a cluster says about images,', imageConfigCases)
