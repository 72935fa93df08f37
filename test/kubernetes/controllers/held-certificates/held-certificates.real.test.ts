import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { heldCertificatesCases } from '../../../integration/controllers/held-certificates/cases.ts'

await onPrivateCluster('certificates that a pause holds,', heldCertificatesCases)
