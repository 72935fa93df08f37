import { onPrivateCluster } from '../../support/real-cluster.ts'
import { kubeletDefaultsCases } from './cases.ts'

await onPrivateCluster('kubelet defaults', kubeletDefaultsCases)
