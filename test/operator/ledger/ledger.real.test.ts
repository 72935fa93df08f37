import { onPrivateCluster } from '../../support/real-cluster.ts'
import { ledgerCases } from './cases.ts'

await onPrivateCluster('the ledger', ledgerCases)
