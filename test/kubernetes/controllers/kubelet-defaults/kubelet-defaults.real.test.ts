import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { kubeletDefaultsCases } from '../../../integration/controllers/kubelet-defaults/cases.ts'

await onPrivateCluster('kubelet defaults', kubeletDefaultsCases)
