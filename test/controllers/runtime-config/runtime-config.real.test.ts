import { onPrivateCluster } from '../../support/real-cluster.ts'
import { runtimeConfigCases } from './cases.ts'

await onPrivateCluster('ContainerRuntimeConfigs', runtimeConfigCases)
