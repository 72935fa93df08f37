import { describe } from 'vitest'
import { requestCases } from './cases.ts'
import { reachEmbedded } from './embedded.ts'

describe("kubelets' requests on the embedded API server", () => {
  requestCases(reachEmbedded)
})
