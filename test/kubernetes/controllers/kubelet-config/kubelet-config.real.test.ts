import { onPrivateCluster } from '@machinist/testing/real-cluster'
import { kubeletConfigCases } from '../../../integration/controllers/kubelet-config/cases.ts'

await onPrivateCluster('KubeletConfigs', kubeletConfigCases)
