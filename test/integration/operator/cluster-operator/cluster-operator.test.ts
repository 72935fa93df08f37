import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { clusterOperatorCases } from './cases.ts'

await onEmbeddedServer('the ClusterOperator', clusterOperatorCases)
