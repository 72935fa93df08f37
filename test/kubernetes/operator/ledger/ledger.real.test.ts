import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { ledgerCases } from '../../../integration/operator/ledger/cases.ts'

await onPrivateCluster('the ledger', ledgerCases)
