import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { plainCases } from '../../../integration/controllers/image-config/plain-cases.ts'

await onPrivateCluster('image-config controller outside OpenShift:', plainCases)
