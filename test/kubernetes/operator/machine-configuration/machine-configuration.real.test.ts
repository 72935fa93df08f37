import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { machineConfigurationCases } from '../../../integration/operator/machine-configuration/cases.ts'

await onPrivateCluster('the MachineConfiguration', machineConfigurationCases)
