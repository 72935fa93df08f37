import { onPrivateCluster } from '../../support/real-cluster.ts'
import { factsCases } from './cases.ts'

await onPrivateCluster('the facts loop', factsCases)
