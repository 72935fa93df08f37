import { onPrivateCluster } from '../../support/real-cluster.ts'
import { renderCases } from './cases.ts'

await onPrivateCluster('the render controller', renderCases)
