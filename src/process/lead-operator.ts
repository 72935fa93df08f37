import type { OperatorOptions } from '../operator/run-operator.ts'
import { runOperator } from '../operator/run-operator.ts'
import type { LeaderRun, Leadership } from './lead.ts'
import { runAsLeader } from './lead.ts'

/** Runs the operator while this process holds its Lease. */
export function leadOperator(
  options: Omit<OperatorOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): LeaderRun {
  const { client, log, metrics } = options
  const run = (term: object, ended: AbortSignal): Promise<void> =>
    runOperator({ ...options, ...term }, ended)
  // The same name as in OpenShift.
  const lease = 'machine-config'
  return runAsLeader({ client, log, metrics, lease, name: 'the operator', run }, leadership, signal)
}
