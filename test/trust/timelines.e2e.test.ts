import { describe } from 'vitest'
import { embedded } from './reach-embedded.ts'
import { trustTimelines } from './timelines.ts'

describe('trust on the embedded API server', () => {
  trustTimelines(embedded)
})
