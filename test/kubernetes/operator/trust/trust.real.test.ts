import { onPrivateCluster } from '@machinist/testing/real-cluster'
import { trustCases } from '../../../integration/operator/trust/cases.ts'

await onPrivateCluster('the trust loop', trustCases)
