import { onPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { accessCases } from '../../../integration/server/access/cases.ts'

await onPrivateCluster('the access to configs', accessCases)
