import type { ControllersOptions } from '../controllers/run-controllers.ts'
import { runControllers } from '../controllers/run-controllers.ts'
import type { Lead, Leadership } from './lead.ts'
import { lead } from './lead.ts'

/** The controllers, whenever their lease is held. */
export function leadControllers(
  options: Omit<ControllersOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): Lead {
  const { client, log, metrics } = options
  const run = (term: object, ended: AbortSignal): Promise<void> =>
    runControllers({ ...options, ...term }, ended)
  // As those who look after clusters know it.
  const lease = 'machine-config-controller'
  return lead({ client, log, metrics, lease, who: 'the controller', run }, leadership, signal)
}
