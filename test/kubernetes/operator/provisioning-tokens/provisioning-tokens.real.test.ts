import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { provisioningTokenCases } from '../../../integration/operator/provisioning-tokens/cases.ts'

await onPrivateCluster('provisioning tokens', provisioningTokenCases)
