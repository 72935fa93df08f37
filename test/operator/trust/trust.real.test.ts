import { onPrivateCluster } from '../../support/real-cluster.ts'
import { trustCases } from './cases.ts'

await onPrivateCluster('the trust loop', trustCases)
