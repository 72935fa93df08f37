import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { runtimeConfigCases } from '../../../integration/controllers/runtime-config/cases.ts'

await onPrivateCluster('ContainerRuntimeConfigs', runtimeConfigCases)
