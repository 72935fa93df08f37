import { onPrivateCluster } from '../../support/real-cluster.ts'
import { credentialProvidersCases } from './cases.ts'

await onPrivateCluster('credential providers', credentialProvidersCases)
