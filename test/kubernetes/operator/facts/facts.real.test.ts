import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { factsCases } from '../../../integration/operator/facts/cases.ts'

await onPrivateCluster('facts controller:', factsCases)
