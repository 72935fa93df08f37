import { Refusal } from '../../src/refusal.ts'
import { thrownBy } from '@machinist/testing/thrown-by'

/** What a function throws that is no refusal: there should be nothing. */
export function mistakeOf(run: () => unknown): unknown {
  const thrown = thrownBy(run)
  return thrown instanceof Refusal ? undefined : thrown
}
