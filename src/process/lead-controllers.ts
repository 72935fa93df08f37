import type { ControllersOptions } from '../controllers/run-controllers.ts'
import { runControllers } from '../controllers/run-controllers.ts'
import type { LeaderRun, Leadership } from './lead.ts'
import { runAsLeader } from './lead.ts'

/** Runs the controllers while this process holds their Lease. */
export function leadControllers(
  options: Omit<ControllersOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): LeaderRun {
  const { client, log, metrics } = options
  const run = (term: object, ended: AbortSignal): Promise<void> =>
    runControllers({ ...options, ...term }, ended)
  // The same name as in OpenShift.
  const lease = 'machine-config-controller'
  return runAsLeader(
    { client, log, metrics, lease, name: 'the controller', run },
    leadership,
    signal,
  )
}
