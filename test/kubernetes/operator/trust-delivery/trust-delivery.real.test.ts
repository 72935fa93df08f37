import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { trustDeliveryCases } from '../../../integration/operator/trust-delivery/cases.ts'

await onPrivateCluster('trust delivery', trustDeliveryCases)
