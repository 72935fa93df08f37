import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { imageConfigCases } from '../../../integration/controllers/image-config/cases.ts'

await onPrivateCluster('image-config controller:', imageConfigCases)
