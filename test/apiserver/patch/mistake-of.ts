import { Refusal } from '../../../src/apiserver/refusal.ts'
import { thrownBy } from '../../support/thrown-by.ts'

/** What a function throws that is no refusal: there should be nothing. */
export function mistakeOf(run: () => unknown): unknown {
  const thrown = thrownBy(run)
  return thrown instanceof Refusal ? undefined : thrown
}
