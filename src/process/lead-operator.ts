import type { OperatorOptions } from '../operator/run-operator.ts'
import { runOperator } from '../operator/run-operator.ts'
import type { Lead, Leadership } from './lead.ts'
import { lead } from './lead.ts'

/** The operator, whenever its lease is held. */
export function leadOperator(
  options: Omit<OperatorOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): Lead {
  const { client, log, metrics } = options
  const run = (term: object, ended: AbortSignal): Promise<void> =>
    runOperator({ ...options, ...term }, ended)
  // As those who look after clusters know it.
  const lease = 'machine-config'
  return lead({ client, log, metrics, lease, who: 'the operator', run }, leadership, signal)
}
