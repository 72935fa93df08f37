import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { machineConfigNodeCases } from '../../../integration/controllers/machine-config-node/cases.ts'

await onPrivateCluster('the MachineConfigNode controller', machineConfigNodeCases)
