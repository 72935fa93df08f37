import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { rolloutCases } from '../../../integration/controllers/rollout/cases.ts'

await onPrivateCluster('the rollout controller', rolloutCases)
