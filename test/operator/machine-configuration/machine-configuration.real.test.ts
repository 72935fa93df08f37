import { onPrivateCluster } from '../../support/real-cluster.ts'
import { machineConfigurationCases } from './cases.ts'

await onPrivateCluster('the MachineConfiguration', machineConfigurationCases)
