import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { trustCases } from '../../../integration/operator/trust/cases.ts'

await onPrivateCluster('trust controller:', trustCases)
