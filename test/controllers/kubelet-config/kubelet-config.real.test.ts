import { onPrivateCluster } from '../../support/real-cluster.ts'
import { kubeletConfigCases } from './cases.ts'

await onPrivateCluster('KubeletConfigs', kubeletConfigCases)
