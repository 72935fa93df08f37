import { describe } from 'vitest'
import { embedded } from './reach-embedded.ts'
import { signerTimelines } from './signer-timelines.ts'
import { trustTimelines } from './timelines.ts'

describe('trust on the embedded API server', () => {
  trustTimelines(embedded)
})

describe('trust with a signer on the embedded API server', () => {
  signerTimelines(embedded)
})
