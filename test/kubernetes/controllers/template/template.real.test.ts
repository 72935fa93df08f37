import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { templateCases } from '../../../integration/controllers/template/cases.ts'

await onPrivateCluster('the template controller', templateCases)
