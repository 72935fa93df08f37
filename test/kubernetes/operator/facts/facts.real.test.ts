import { onPrivateCluster } from '@machinist/testing/real-cluster'
import { factsCases } from '../../../integration/operator/facts/cases.ts'

await onPrivateCluster('the facts loop', factsCases)
