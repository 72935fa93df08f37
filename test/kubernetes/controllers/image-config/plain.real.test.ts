import { onPrivateCluster } from '@machinist/testing/real-cluster'
import { plainCases } from '../../../integration/controllers/image-config/plain-cases.ts'

await onPrivateCluster('what a plain Kubernetes says about images,', plainCases)
