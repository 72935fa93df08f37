import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { serverCertificatesCases } from '../../../integration/operator/server-certificates/cases.ts'

await onPrivateCluster("the operator's certificates of the config server", serverCertificatesCases)
