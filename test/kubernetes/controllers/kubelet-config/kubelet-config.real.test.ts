import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { kubeletConfigCases } from '../../../integration/controllers/kubelet-config/cases.ts'

await onPrivateCluster('KubeletConfigs', kubeletConfigCases)
