import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { renderCases } from '../../../integration/controllers/render/cases.ts'

await onPrivateCluster('the render controller', renderCases)
