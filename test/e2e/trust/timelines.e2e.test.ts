import { describe } from 'vitest'
import { embedded } from '../../integration/trust/reach-embedded.ts'
import { signerTimelines } from '../../integration/trust/signer-timelines.ts'
import { trustTimelines } from '../../integration/trust/timelines.ts'

describe('trust on the embedded API server', () => {
  trustTimelines(embedded)
})

describe('trust with a signer on the embedded API server', () => {
  signerTimelines(embedded)
})
