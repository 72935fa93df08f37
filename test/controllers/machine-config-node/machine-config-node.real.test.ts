import { onPrivateCluster } from '../../support/real-cluster.ts'
import { machineConfigNodeCases } from './cases.ts'

await onPrivateCluster('the MachineConfigNode controller', machineConfigNodeCases)
