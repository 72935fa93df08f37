import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { credentialProvidersCases } from '../../../integration/controllers/credential-providers/cases.ts'

await onPrivateCluster('credential providers', credentialProvidersCases)
