import { describe } from 'vitest'
import { startApi } from '../cluster/api.ts'
import { pinnedNodeCases } from './cases.ts'

describe('pinned images of a node at the embedded API server', () => {
  pinnedNodeCases(startApi)
})
