import { onPrivateCluster } from '../../support/real-cluster.ts'
import { rolloutCases } from './cases.ts'

await onPrivateCluster('the rollout controller', rolloutCases)
