import { onPrivateCluster } from '../../support/real-cluster.ts'
import { plainCases } from './plain-cases.ts'

await onPrivateCluster('what a plain Kubernetes says about images,', plainCases)
