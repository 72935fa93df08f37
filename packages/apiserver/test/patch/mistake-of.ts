import { thrownBy } from '@machinist/testing/thrown-by'
import { StatusError } from '../../src/status/status-error.ts'

/** An error other than StatusError, which is a bug. */
export function mistakeOf(run: () => unknown): unknown {
  const thrown = thrownBy(run)
  return thrown instanceof StatusError ? undefined : thrown
}
