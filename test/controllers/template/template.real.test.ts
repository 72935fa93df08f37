import { onPrivateCluster } from '../../support/real-cluster.ts'
import { templateCases } from './cases.ts'

await onPrivateCluster('the template controller', templateCases)
