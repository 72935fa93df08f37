import { onPrivateCluster } from '../../support/real-cluster.ts'
import { heldCertificatesCases } from './cases.ts'

await onPrivateCluster('certificates that a pause holds,', heldCertificatesCases)
